/** Every built-in tool, one line each. Adding one is a file and its line here. */
import type { Tool } from '../core/tool.js';
import { execCommand } from './exec-command.js';
import { readFile } from './read-file.js';
import { updatePlan } from './update-plan.js';

export const builtinTools: readonly Tool[] = [execCommand, readFile, updatePlan];

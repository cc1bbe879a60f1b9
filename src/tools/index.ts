/** Every built-in tool, one line each. Adding one is a file and its line here. */
import type { Tool } from '../core/tool.js';
import { execCommand } from './exec-command.js';
import { localShell } from './local-shell.js';
import { readFile } from './read-file.js';
import { shellCommand } from './shell-command.js';
import { shell } from './shell.js';
import { updatePlan } from './update-plan.js';
import { writeStdin } from './write-stdin.js';

export const builtinTools: readonly Tool[] = [
  execCommand,
  localShell,
  readFile,
  shell,
  shellCommand,
  updatePlan,
  writeStdin,
];

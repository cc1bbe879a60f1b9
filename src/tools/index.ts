/** Every built-in tool, one line each. Adding one is a file and its line here. */
import type { Tool } from '../core/tool.js';
import { applyPatch } from './apply-patch.js';
import { execCommand } from './exec-command.js';
import { grepFiles } from './grep-files.js';
import { listDir } from './list-dir.js';
import { localShell } from './local-shell.js';
import { readFile } from './read-file.js';
import { shellCommand } from './shell-command.js';
import { shell } from './shell.js';
import { updatePlan } from './update-plan.js';
import { viewImage } from './view-image.js';
import { writeFile } from './write-file.js';
import { writeStdin } from './write-stdin.js';

export const builtinTools: readonly Tool[] = [
  applyPatch,
  execCommand,
  grepFiles,
  listDir,
  localShell,
  readFile,
  shell,
  shellCommand,
  updatePlan,
  viewImage,
  writeFile,
  writeStdin,
];

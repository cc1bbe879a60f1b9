/** Whether a file is a program that we may run. A folder can be "executable", too. */
import fs from 'node:fs';

export function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

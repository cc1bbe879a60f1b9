/** Why no program can be started in a folder; the system's own error names the program instead. */
import fs from 'node:fs';

export async function folderProblem(folder: string): Promise<string | undefined> {
  try {
    const stats = await fs.promises.stat(folder);
    return stats.isDirectory() ? undefined : `the working directory ${folder} is not a folder`;
  } catch {
    return `the working directory ${folder} does not exist`;
  }
}

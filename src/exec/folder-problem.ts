/** Why no program can be started in a folder; the system's own error names the program instead. */
import fs from 'node:fs';

export async function folderProblem(folder: string): Promise<string | undefined> {
  try {
    const stats = await fs.promises.stat(folder);
    if (!stats.isDirectory()) return `the working directory ${folder} is not a folder`;
    await fs.promises.access(folder, fs.constants.X_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES'
      ? `the working directory ${folder} may not be entered: permission denied`
      : `the working directory ${folder} does not exist`;
  }
}

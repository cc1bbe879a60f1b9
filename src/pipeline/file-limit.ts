/** The same files, of which none that is larger than the user allows is read or written. */
import { FileProblem } from '../core/file-problem.js';
import { filesWith } from '../core/files-with.js';
import type { FileChange, Files, OpenFile } from '../core/files.js';
import type { AbsolutePath } from '../core/paths.js';

export function limitFiles(files: Files, most: number): Files {
  return filesWith(files, {
    async open(path) {
      const file = await files.open(path);
      if (file.size <= most) return limitReading(file, path, most);
      await file.close();
      throw tooLarge(path, file.size, most);
    },
    async change(changes) {
      for (const change of changes) checkChange(change, most);
      await files.change(changes);
    },
  });
}

/** It may grow after it was opened, and some files do not say how much they hold. */
function limitReading(file: OpenFile, path: AbsolutePath, most: number): OpenFile {
  return {
    size: file.size,
    mode: file.mode,
    async read(into, position) {
      const read = await file.read(into, position);
      if (position + read > most) throw tooLarge(path, position + read, most);
      return read;
    },
    close: () => file.close(),
  };
}

function checkChange({ path, after }: FileChange, most: number): void {
  if (after.kind === 'file' && after.content.length > most) throw tooLarge(path, after.content.length, most);
}

function tooLarge(path: AbsolutePath, bytes: number, most: number): FileProblem {
  return new FileProblem('too-large', path, `${bytes} bytes or more, and the settings allow ${most}`);
}

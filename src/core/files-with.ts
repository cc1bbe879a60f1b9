/** The same files but for some of their parts. Nothing of them is spread: whoever made them may have used a class. */
import type { Files } from './files.js';

export function filesWith(files: Files, parts: Partial<Files>): Files {
  return {
    open: (path) => files.open(path),
    look: (path) => files.look(path),
    list: (path) => files.list(path),
    change: (changes) => files.change(changes),
    ...parts,
  };
}

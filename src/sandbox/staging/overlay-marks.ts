/** What the overlay notes beside the files it keeps, in extended attributes. Node cannot read those, so a reader is handed in. */
import type { AbsolutePath } from '../../core/paths.js';

export type XattrQuestion = { readonly path: AbsolutePath; readonly name: string };

/**
 * The values in the order of the questions; nothing where a path has no such attribute. Must not follow links, and must
 * throw when it cannot tell.
 */
export type ReadXattrs = (questions: readonly XattrQuestion[]) => Promise<readonly (string | undefined)[]>;

export type Marked = {
  readonly path: AbsolutePath;
  readonly entry: 'folder' | 'file';
  readonly size: number;
};

export type Marks = {
  /** What the workspace has in this folder does not show through. */
  readonly opaque: boolean;
  /** Stands for a deletion, although it is a plain file. */
  readonly whiteout: boolean;
  /** It was copied from the workspace. */
  readonly copied: boolean;
  /** Its content is somewhere else, which a replay would not see. */
  readonly elsewhere: boolean;
};

const NO_MARKS: Marks = { opaque: false, whiteout: false, copied: false, elsewhere: false };

export async function readMarks(entries: readonly Marked[], readXattrs: ReadXattrs): Promise<readonly Marks[]> {
  const asked = entries.flatMap((entry, index) =>
    namesFor(entry).map((name) => ({ index, name, question: { path: entry.path, name: `user.overlay.${name}` } })),
  );
  const values = asked.length === 0 ? [] : await readXattrs(asked.map(({ question }) => question));
  if (values.length !== asked.length) throw new Error('the marks of the staged files could not be read');
  const marks = entries.map(() => NO_MARKS);
  for (const [at, { index, name }] of asked.entries()) {
    const value = values[at];
    if (value !== undefined) marks[index] = { ...(marks[index] ?? NO_MARKS), ...meaningOf(name, value) };
  }
  return marks;
}

function namesFor({ entry, size }: Marked): readonly string[] {
  if (entry === 'folder') return ['opaque', 'redirect', 'origin'];
  return size === 0 ? ['metacopy', 'whiteout'] : ['metacopy'];
}

function meaningOf(name: string, value: string): Partial<Marks> {
  if (name === 'origin') return { copied: true };
  if (name === 'whiteout') return { whiteout: true };
  // Another value says only that deletions in the folder may be spelled in the other way.
  if (name === 'opaque') return { opaque: value === 'y' };
  return { elsewhere: true };
}

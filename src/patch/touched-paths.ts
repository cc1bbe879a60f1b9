/** Which files a patch would write or remove, known before any of them is looked at. Paths are as written. */
import type { FileSection, Patch } from './patch.js';

/** Each path once, in the order of the patch. */
export function touchedPaths(patch: Patch): readonly string[] {
  return [...new Set(patch.sections.flatMap(pathsOf))];
}

/** Each path once whose content decides what the patch does, or is told when it does not fit. */
export function readPaths(patch: Patch): readonly string[] {
  const read = patch.sections.filter((section) => section.kind !== 'add' && !isPlainDeletion(section));
  return [...new Set(read.map(({ path }) => path))];
}

function isPlainDeletion(section: FileSection): boolean {
  return section.kind === 'delete' && section.hunks.length === 0;
}

/** For each path that would be written or removed the part of the patch that is about it, for a person to read. */
export function patchTexts(patch: Patch): readonly { readonly path: string; readonly text: string }[] {
  const texts = new Map<string, string[]>();
  for (const section of patch.sections) {
    for (const path of pathsOf(section)) {
      const parts = texts.get(path);
      if (parts === undefined) texts.set(path, [section.text]);
      else parts.push(section.text);
    }
  }
  return [...texts].map(([path, parts]) => ({ path, text: parts.join('\n') }));
}

/** The source of a copy stays as it is. */
function pathsOf(section: FileSection): readonly string[] {
  if (section.kind !== 'update' || section.to === undefined) return [section.path];
  return section.to.copy ? [section.to.path] : [section.path, section.to.path];
}

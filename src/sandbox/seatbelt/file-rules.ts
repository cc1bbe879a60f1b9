/** What may be read and written. Hidden comes last: no right reaches into it. */
import type { Subject, Subjects } from './subjects.js';

export function fileRules(subjects: Subjects): readonly string[] {
  return [
    '; Files',
    '(allow file-read* file-map-executable)',
    ...allowBut(subjects.writable, subjects.kept),
    ...subjects.own.map(allow),
    ...subjects.granted.map(allow),
    ...subjects.pinned.map((folder) => `(deny file-write-unlink ${filter(folder)})`),
    ...subjects.hidden.map(
      (place) => `(deny file-read* file-map-executable file-write* process-exec ${filter(place)})`,
    ),
  ];
}

/** Creation is denied as well, so a protected name that is not there cannot appear. */
function allowBut(places: readonly Subject[], kept: readonly Subject[]): readonly string[] {
  if (kept.length === 0) return places.map(allow);
  return [
    '(allow file-write* (require-all',
    `  (require-any ${places.map(filter).join(' ')})`,
    ...kept.map((each) => `  (require-not ${filter(each)})`),
    '))',
  ];
}

function allow(place: Subject): string {
  return `(allow file-write* ${filter(place)})`;
}

export function filter({ match, name }: Subject): string {
  return `(${match} (param "${name}"))`;
}

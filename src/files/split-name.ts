/** A path in two: the folder, as it is written, and the last name. What stands between is for the kernel to resolve. */

/** No name: it ends in a slash, `.` or `..`, so it can only be a folder. */
export type SplitName = { readonly folder: string; readonly name: string | undefined };

export function splitName(text: string): SplitName {
  const slash = text.lastIndexOf('/');
  const name = text.slice(slash + 1);
  return {
    folder: slash === -1 ? '.' : text.slice(0, slash).replace(/\/+$/, '') || '/',
    name: name === '' || name === '.' || name === '..' ? undefined : name,
  };
}

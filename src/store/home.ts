/** Where Tenon keeps what is the user's. */
import os from 'node:os';
import path from 'node:path';

/** `$TENON_HOME`, else `~/.tenon`; undefined for a relative one, which would be another folder wherever it is looked for. */
export function homeFolder(): string | undefined {
  const home = process.env['TENON_HOME'] || path.join(userFolder(), '.tenon');
  return path.isAbsolute(home) ? home : undefined;
}

/** The user's own. In a container the user may have neither an account nor a home. */
export function userFolder(): string {
  try {
    return os.homedir();
  } catch {
    return path.join(os.tmpdir(), `tenon-${process.getuid?.() ?? 'user'}`);
  }
}

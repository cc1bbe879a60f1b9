/** What programs get from whoever starts them: our rights and our mask for new files. A spawner has them as they were. */
import fs from 'node:fs';

export interface Inherited {
  /** Whether ours are as they were in the beginning. */
  isSame(): boolean;
  close(): void;
}

/** More than the system has to say of a process, also of one in many groups. */
const STATUS_BYTES = 64 * 1024;

export function watchInherited(): Inherited {
  // Kept open, because it is read before each command.
  const status = fs.openSync('/proc/self/status', 'r');
  const bytes = Buffer.alloc(STATUS_BYTES);
  const read = (): string => {
    const text = bytes.toString('latin1', 0, fs.readSync(status, bytes, 0, STATUS_BYTES, 0));
    return (text.match(/^(?:Umask|Uid|Gid|Groups|Cap\w+|NoNewPrivs|Seccomp|Cpus_allowed):.*$/gm) ?? []).join('\n');
  };
  const inherited = read();
  return { isSame: () => read() === inherited, close: () => fs.closeSync(status) };
}

/**
 * The compiled code of the program, kept in the home folder, because compiling is most of what a short command would
 * wait for. Each command has its own: what another one runs would only have to be read.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Changes with every build, so that code of one build is never run with the cache of another. */
declare const TENON_BUILD: string;

export interface CodeCache {
  /** Undefined when there is none that can be trusted. */
  read(name: string): KeptCode | undefined;
  /** Best effort: a run without a cache is only slower. */
  write(name: string, code: KeptCode): void;
}

type KeptCode = {
  readonly data: Buffer;
  /** The parts of the program that had run when it was made: only what has run is compiled. */
  readonly parts: readonly string[];
};

/** Undefined where nothing can be kept. */
export function codeCacheFor(argv: readonly string[]): CodeCache | undefined {
  const folder = cacheFolder();
  if (folder === undefined) return undefined;
  const command = commandOf(argv);
  const ending = `-${TENON_BUILD}-${process.version}-${process.arch}.bin`;
  const fileFor = (name: string): string => path.join(folder, `${command}-${name}${ending}`);
  return {
    read: (name) => readTrusted(fileFor(name)),
    write(name, code) {
      removeOthers(folder, ending);
      writeWhole(fileFor(name), seal(code));
    },
  };
}

/** Help runs little of the command it is for, so it counts as one of its own. */
function commandOf(argv: readonly string[]): string {
  const [, , command = ''] = argv;
  const isHelp = argv.includes('--help') || argv.includes('-h') || !/^[a-z][a-z-]*$/.test(command);
  return isHelp ? 'help' : command;
}

/** In the home folder, which sandboxed commands cannot write, because this is code that will be run. */
function cacheFolder(): string | undefined {
  try {
    const home = process.env['TENON_HOME'] || path.join(os.homedir(), '.tenon');
    // A relative one would take code from whatever folder this runs in.
    return path.isAbsolute(home) ? path.join(home, 'cache') : undefined;
  } catch {
    return undefined;
  }
}

/** Only a file that is ours alone to write is trusted; it is looked at through the descriptor it is read from. */
function readTrusted(file: string): KeptCode | undefined {
  try {
    const descriptor = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
    try {
      const stats = fs.fstatSync(descriptor);
      const ours = stats.isFile() && stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0;
      return ours ? unseal(fs.readFileSync(descriptor)) : undefined;
    } finally {
      fs.closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

/** Those of another build. Of this one, others may be writing some just now. */
function removeOthers(folder: string, ending: string): void {
  try {
    for (const name of fs.readdirSync(folder))
      if (!name.includes(ending)) fs.rmSync(path.join(folder, name), { force: true });
  } catch {
    // There is no folder yet, or none that can be written, which is found out next.
  }
}

/** Renamed into place, so that nobody reads half a file. */
function writeWhole(file: string, bytes: Buffer): void {
  const folder = path.dirname(file);
  const temporary = `${file}.${process.pid}.${Date.now()}`;
  try {
    makeFolder(path.dirname(folder));
    makeFolder(folder);
    fs.writeFileSync(temporary, bytes, { mode: 0o600, flag: 'wx' });
    fs.renameSync(temporary, file);
  } catch {
    fs.rmSync(temporary, { force: true });
  }
}

function makeFolder(folder: string): void {
  if (!fs.existsSync(folder)) fs.mkdirSync(folder, { mode: 0o700 });
}

/**
 * V8 runs a damaged cache until it crashes, so the file holds everything twice. Comparing memory is the one check that
 * costs nothing this early, when no hash is loaded and no loop is compiled.
 */
function seal({ data, parts }: KeptCode): Buffer {
  const half = Buffer.concat([data, Buffer.from(`\n${parts.join(' ')}`)]);
  return Buffer.concat([half, half]);
}

function unseal(sealed: Buffer): KeptCode | undefined {
  const middle = sealed.length / 2;
  const half = sealed.subarray(0, middle);
  const end = half.lastIndexOf('\n');
  if (end === -1 || !half.equals(sealed.subarray(middle))) return undefined;
  return { data: half.subarray(0, end), parts: half.toString('latin1', end + 1).split(' ') };
}

/**
 * The executable. Answers `--version` by itself and otherwise loads the program with its compiled code from a
 * cache, because compiling is most of what a short command would wait for.
 */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import vm from 'node:vm';

declare const TENON_VERSION: string;
/** Changes with every build, so that code of one build is never run with the cache of another. */
declare const TENON_BUILD: string;

type Main = (argv: readonly string[]) => Promise<void>;
type ModuleFunction = (...scope: readonly unknown[]) => void;

const asked = process.argv[2];
if (process.argv.length === 3 && (asked === '--version' || asked === '-V')) {
  process.stdout.write(`tenon ${TENON_VERSION}\n`);
} else {
  void loadProgram()(process.argv);
}

function loadProgram(): Main {
  const file = path.join(__dirname, 'cli.cjs');
  const cacheFile = path.join(cacheFolder(), `${TENON_BUILD}-${process.version}-${process.arch}.bin`);
  const cachedData = readCache(cacheFile);
  const script = new vm.Script(wrap(fs.readFileSync(file, 'utf8')), {
    filename: file,
    ...(cachedData && { cachedData }),
  });
  const program = { exports: {} as { main: Main } };
  const load = script.runInThisContext() as ModuleFunction;
  load(program.exports, createRequire(file), program, file, __dirname);
  // Written at the end of the run, when the functions that were needed have been compiled too.
  if (cachedData === undefined || script.cachedDataRejected) process.once('exit', () => writeCache(cacheFile, script));
  return program.exports.main;
}

function wrap(source: string): string {
  return `(function (exports, require, module, __filename, __dirname) {${source}\n})`;
}

/** In the home folder, which sandboxed commands cannot write, because this is code that will be run. */
function cacheFolder(): string {
  return path.join(home(), 'cache');
}

function home(): string {
  return process.env['TENON_HOME'] || path.join(os.homedir(), '.tenon');
}

/** Only a file that is ours alone to write is trusted; it is looked at through the descriptor it is read from. */
function readCache(file: string): Buffer | undefined {
  try {
    const descriptor = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
    try {
      const stats = fs.fstatSync(descriptor);
      const ours = stats.isFile() && stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0;
      return ours ? fs.readFileSync(descriptor) : undefined;
    } finally {
      fs.closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

/** Best effort: a run without a cache is only slower. Renamed into place, so that nobody reads half a file. */
function writeCache(file: string, script: vm.Script): void {
  try {
    makeFolder(home());
    makeFolder(path.dirname(file));
    const temporary = `${file}.${process.pid}`;
    fs.writeFileSync(temporary, script.createCachedData(), { mode: 0o600, flag: 'wx' });
    fs.renameSync(temporary, file);
    for (const other of fs.readdirSync(path.dirname(file))) {
      if (other.endsWith('.bin') && other !== path.basename(file)) fs.rmSync(path.join(path.dirname(file), other));
    }
  } catch {
    // Nothing to do about it, and nothing depends on it.
  }
}

function makeFolder(folder: string): void {
  if (!fs.existsSync(folder)) fs.mkdirSync(folder, { mode: 0o700 });
}

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
  const cacheFile = cacheFileFor(`${TENON_BUILD}-${process.version}-${process.arch}.bin`);
  const cachedData = cacheFile === undefined ? undefined : readCache(cacheFile);
  const source = wrap(fs.readFileSync(file, 'utf8'));
  const script = new vm.Script(source, { filename: file, ...(cachedData && { cachedData }) });
  const program = { exports: {} as { main: Main } };
  const load = script.runInThisContext() as ModuleFunction;
  load(program.exports, createRequire(file), program, file, __dirname);
  if (cacheFile !== undefined && (cachedData === undefined || script.cachedDataRejected)) {
    // Written at the end of the run, when the functions that were needed have been compiled too.
    process.once('exit', () => writeCache(cacheFile, script));
  }
  return program.exports.main;
}

function wrap(source: string): string {
  return `(function (exports, require, module, __filename, __dirname) {${source}\n})`;
}

/** In the home folder, which sandboxed commands cannot write, because this is code that will be run. */
function cacheFileFor(name: string): string | undefined {
  try {
    const home = process.env['TENON_HOME'] || path.join(os.homedir(), '.tenon');
    // A relative one would take code from whatever folder this runs in.
    return path.isAbsolute(home) ? path.join(home, 'cache', name) : undefined;
  } catch {
    return undefined;
  }
}

/** Only a file that is ours alone to write is trusted; it is looked at through the descriptor it is read from. */
function readCache(file: string): Buffer | undefined {
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

/** Best effort: a run without a cache is only slower. Renamed into place, so that nobody reads half a file. */
function writeCache(file: string, script: vm.Script): void {
  const folder = path.dirname(file);
  const temporary = `${file}.${process.pid}.${Date.now()}`;
  try {
    makeFolder(path.dirname(folder));
    makeFolder(folder);
    for (const other of fs.readdirSync(folder)) fs.rmSync(path.join(folder, other), { force: true });
    fs.writeFileSync(temporary, seal(script.createCachedData()), { mode: 0o600, flag: 'wx' });
    fs.renameSync(temporary, file);
  } catch {
    fs.rmSync(temporary, { force: true });
  }
}

function makeFolder(folder: string): void {
  if (!fs.existsSync(folder)) fs.mkdirSync(folder, { mode: 0o700 });
}

/**
 * V8 runs a damaged cache until it crashes, so the file holds the data twice. Comparing memory is the one check that
 * costs nothing this early, when no hash is loaded and no loop is compiled.
 */
function seal(data: Buffer): Buffer {
  return Buffer.concat([data, data]);
}

function unseal(sealed: Buffer): Buffer | undefined {
  const half = sealed.length / 2;
  const data = sealed.subarray(0, half);
  return sealed.length > 0 && data.equals(sealed.subarray(half)) ? data : undefined;
}

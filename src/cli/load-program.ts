/**
 * The program as it is packed: two files of parts, each part a function that is run when it is first asked for. The
 * first file has all that a turn of plain text needs; the second is read when anything else is.
 */
import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';

import { codeCacheFor } from './code-cache.js';
import type { CodeCache } from './code-cache.js';

type Main = (argv: readonly string[]) => Promise<void>;
type Require = (name: string) => unknown;
type Part = (exports: object, require: Require, file: string) => void;
type Parts = Readonly<Record<string, Part>>;

export function loadProgram(argv: readonly string[]): Main {
  const cache = codeCacheFor(argv);
  const start = loadParts('start', cache);
  let more: Parts | undefined;
  const loaded = new Map<string, object>();

  function load(name: string): object {
    const part = start[name] ?? (more ??= loadParts('more', cache))[name];
    if (part === undefined) throw new Error(`the program has no part ${name}`);
    const exports = {};
    part(exports, requirePart, __filename);
    loaded.set(name, exports);
    return exports;
  }

  function requirePart(name: string): unknown {
    return name.startsWith('./') ? (loaded.get(name) ?? load(name)) : require(name);
  }

  return (requirePart('./main.js') as { main: Main }).main;
}

function loadParts(name: string, cache: CodeCache | undefined): Parts {
  const filename = path.join(__dirname, `${name}.cjs`);
  const cachedData = cache?.read(name);
  // The build sees to it that there is nothing but ASCII, of which bytes are the fastest to read.
  const script = new vm.Script(fs.readFileSync(filename, 'latin1'), { filename, ...(cachedData && { cachedData }) });
  if (cachedData === undefined || script.cachedDataRejected) cache?.writeAtExit(name, script);
  return script.runInThisContext() as Parts;
}

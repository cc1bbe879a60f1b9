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

type Pack = { readonly parts: Parts; readonly keep: (ran: Iterable<string>) => void };

export function loadProgram(argv: readonly string[]): Main {
  const cache = codeCacheFor(argv);
  const start = openPack('start', cache);
  let more: Pack | undefined;
  const loaded = new Map<string, object>();

  function load(name: string): object {
    const part = start.parts[name] ?? (more ??= openPack('more', cache)).parts[name];
    if (part === undefined) throw new Error(`the program has no part ${name}`);
    const exports = {};
    part(exports, requirePart, __filename);
    loaded.set(name, exports);
    return exports;
  }

  function requirePart(name: string): unknown {
    return name.startsWith('./') ? (loaded.get(name) ?? load(name)) : require(name);
  }

  process.once('exit', (exitCode) => {
    // Of a run that fails, little is needed again.
    if (exitCode === 0) for (const pack of [start, more]) pack?.keep(loaded.keys());
  });
  return (requirePart('./main.js') as { main: Main }).main;
}

function openPack(name: string, cache: CodeCache | undefined): Pack {
  const filename = path.join(__dirname, `${name}.cjs`);
  const kept = cache?.read(name);
  // The build sees to it that there is nothing but ASCII, of which bytes are the fastest to read.
  const source = fs.readFileSync(filename, 'latin1');
  const script = new vm.Script(source, { filename, ...(kept && { cachedData: kept.data }) });
  const known = kept && !script.cachedDataRejected ? kept.parts : [];
  return {
    parts: script.runInThisContext() as Parts,
    // A run that went further than those before it has compiled more, in both files: what was kept is in there too.
    keep(ran) {
      const parts = new Set([...known, ...ran]);
      if (parts.size > known.length) cache?.write(name, { data: script.createCachedData(), parts: [...parts] });
    },
  };
}

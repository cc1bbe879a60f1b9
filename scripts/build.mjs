/**
 * Builds `dist/`: the library as ES modules, the program as two packs of parts behind a small launcher (which
 * starts faster and can keep its compiled code), and the type declarations.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { build } from 'esbuild';

import { packProgram } from './pack-program.mjs';

const root = path.join(import.meta.dirname, '..');
const dist = path.join(root, 'dist');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const TENON_VERSION = JSON.stringify(version);

/** What the program is asked for most is in the first of its two files. */
const AT_START = [
  'src/cli/commands/exec.ts',
  'node_modules/smol-toml/dist/index.js',
  'src/cli/commands/resume.ts',
  ...['find', 'list', 'open'].map((name) => `src/journal/session/${name}.ts`),
];

const program = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  minify: true,
  // The one use of the module's address is to find packages, for which the file's name does as well.
  define: { TENON_VERSION, 'import.meta.url': '__filename' },
  plugins: [lazyChildProcess()],
  logLevel: 'warning',
};

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
await buildLibrary();
await buildLauncher(await buildProgram());
writeCommands();
buildTypes();

/** Commander loads the module for subcommands that are programs of their own; we have none, and it is slow to load. */
function lazyChildProcess() {
  return {
    name: 'lazy-child-process',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
        importer.includes('/commander/') ? { path: 'child-process', namespace: 'lazy' } : undefined,
      );
      onLoad({ filter: /.*/, namespace: 'lazy' }, () => ({
        contents: `exports.spawn = (...args) => require('node:child_process').spawn(...args);`,
      }));
    },
  };
}

function buildLibrary() {
  return build({
    absWorkingDir: root,
    entryPoints: { index: 'src/index.ts', testing: 'src/testing/index.ts' },
    outdir: dist,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    define: { TENON_VERSION },
    logLevel: 'warning',
  });
}

async function buildProgram() {
  const define = { ...program.define, TENON_PARAMETERS: JSON.stringify(JSON.stringify(await parametersOfTools())) };
  const packs = await packProgram({ entry: 'src/cli/main.ts', atStart: AT_START, options: { ...program, define } });
  const hash = createHash('sha256');
  for (const [name, text] of Object.entries(packs)) {
    writeFileSync(path.join(dist, name), text);
    hash.update(text);
  }
  return hash.digest('hex').slice(0, 16);
}

/** What models are told of the arguments of our tools. To work it out of their schemas takes longer than a start may. */
async function parametersOfTools() {
  const { createRuntime } = await import(path.join(dist, 'index.js'));
  const search = { host: 'localhost', search: async () => [] };
  const { tools } = createRuntime({ webSearch: { mode: 'live', search } });
  const told = tools.map(({ spec }) => [spec.name, spec.parameters ?? spec.lowered?.parameters]);
  return Object.fromEntries(told.filter(([, parameters]) => parameters !== undefined));
}

async function buildLauncher(programHash) {
  const outfile = path.join(dist, 'tenon.cjs');
  await build({
    ...program,
    entryPoints: ['src/cli/launch.ts'],
    outfile,
    format: 'cjs',
    // A lazy module is then a function in the same file.
    supported: { 'dynamic-import': false },
    banner: { js: '#!/usr/bin/env node' },
    define: { ...program.define, TENON_BUILD: JSON.stringify(programHash) },
  });
  chmodSync(outfile, 0o755);
}

/** What the commands of a model find on their search path. */
function writeCommands() {
  const folder = path.join(dist, 'commands');
  mkdirSync(folder);
  for (const name of ['apply_patch', 'applypatch']) {
    const script = '#!/bin/sh\nexec "${TENON_NODE:-node}" "${0%/*}/../tenon.cjs" apply-patch "$@"\n';
    writeFileSync(path.join(folder, name), script, { mode: 0o755 });
  }
}

function buildTypes() {
  const require = createRequire(import.meta.url);
  const tsc = path.join(path.dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
  execFileSync(process.execPath, [tsc, '-p', path.join(root, 'tsconfig.build.json')], { stdio: 'inherit' });
}

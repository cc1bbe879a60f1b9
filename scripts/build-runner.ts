/** Builds `native/runner.c` for each architecture and writes it down, embedded, with its hash and its compiler. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { BINARIES } from '../src/sandbox/runner/binaries.js';
import type { Binary } from '../src/sandbox/runner/binaries.js';
import { COMPILERS, buildRunner } from './compile-runner.js';

const file = path.join(import.meta.dirname, '../src/sandbox/runner/binaries.ts');

const built = Object.fromEntries(
  Object.entries(COMPILERS).map(([architecture, compiler]): [string, Binary] => {
    const fresh = buildRunner(compiler);
    process.stdout.write(`${architecture}: ${fresh ? fresh.sha256 : `${compiler} is not here; kept as it was`}\n`);
    return [architecture, fresh ?? BINARIES[architecture as keyof typeof BINARIES]];
  }),
);

writeFileSync(file, source(built));

function source(binaries: Readonly<Record<string, Binary>>): string {
  const entries = Object.entries(binaries).map(
    ([architecture, { compiler, sha256, base64 }]) =>
      `  ${architecture}: {\n    compiler: '${compiler}',\n    sha256: '${sha256}',\n    base64:\n      '${base64}',\n  },\n`,
  );
  return `/** The built runner. Written by \`npm run build:runner\` from native/runner.c; not to be edited. */

export type Binary = { readonly compiler: string; readonly sha256: string; readonly base64: string };

export const BINARIES: Readonly<Record<'x64' | 'arm64', Binary>> = {
${entries.join('')}};
`;
}

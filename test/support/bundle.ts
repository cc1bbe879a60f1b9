import path from 'node:path';
import { build } from 'esbuild';

const ROOT = path.join(import.meta.dirname, '../..');

/** A program over our modules: a file, or lines that are run in the folder of the project. */
export type Source = { readonly entry: string } | { readonly code: string };

/** Makes one file of it, to be run again and again: translated while it loads, each start would take a second. */
export async function bundle(source: Source, outfile: string): Promise<void> {
  await build({
    ...('entry' in source
      ? { entryPoints: [source.entry] }
      : { stdin: { contents: source.code, resolveDir: ROOT, loader: 'ts' } }),
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['@lydell/node-pty'],
    logLevel: 'error',
  });
}

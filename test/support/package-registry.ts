/** A registry that knows one package, on the machine's own addresses. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { loopbackServer } from './loopback-server.js';
import type { LoopbackServer } from './loopback-server.js';
import { tempFolder } from './temp-folder.js';

export type KnownPackage = { readonly name: string; readonly version: string; readonly main: string };

export async function packageRegistry({ name, version, main }: KnownPackage): Promise<LoopbackServer> {
  const manifest = { name, version, main: 'index.js' };
  const tarball = packed({ 'package.json': JSON.stringify(manifest), 'index.js': main });
  const file = `/${name}/-/${name}-${version}.tgz`;
  return loopbackServer((request, response) => {
    if (request.url === file) return void response.end(tarball);
    if (request.url !== `/${name}`) return void response.writeHead(404).end();
    const dist = {
      tarball: `http://${request.headers.host}${file}`,
      integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
    };
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({ name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } }),
    );
  });
}

/** As `npm pack` would have it. */
function packed(files: Readonly<Record<string, string>>): Buffer {
  const folder = tempFolder();
  mkdirSync(path.join(folder, 'package'));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, 'package', name), text);
  return execFileSync('tar', ['-czf', '-', 'package'], { cwd: folder });
}

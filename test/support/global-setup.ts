/** A home of the tests' own: they must neither see a developer's configuration nor leave anything behind. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export function setup(): () => void {
  const home = mkdtempSync(path.join(tmpdir(), 'tenon-test-home-'));
  process.env['TENON_HOME'] = home;
  return () => rmSync(home, { recursive: true, force: true });
}

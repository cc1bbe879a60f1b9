import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder of the test's own that is gone when the test is over. */
export function tempFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'tenon-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

import { claimant, putUpClaim, takeDownClaim, tryToClaim } from '../../src/store/claims.js';
import { ownMark } from '../../src/store/process-mark.js';
import { tempFolder } from '../support/temp-folder.js';

test('one has it, until the claim is taken down', () => {
  const place = { folder: tempFolder(), prefix: 'it~' };
  const first = tryToClaim(place);
  const claim = first.kind === 'ours' ? first.claim : '';
  const [name = ''] = readdirSync(place.folder);
  expect([path.join(place.folder, name), claimant(place, name).startsWith(`${ownMark()}.`)]).toEqual([claim, true]);
  expect(tryToClaim(place)).toEqual({ kind: 'taken', others: [name] });
  takeDownClaim(claim);
  expect(readdirSync(place.folder)).toEqual([]);
  expect(tryToClaim(place)).toMatchObject({ kind: 'ours' });
});

test('claims on something else do not matter', () => {
  const folder = tempFolder();
  for (const prefix of ['it', 'it~~', 'IT~', '.it~']) putUpClaim({ folder, prefix });
  expect(tryToClaim({ folder, prefix: 'it~1' })).toMatchObject({ kind: 'ours' });
});

test('no two claims have one name', () => {
  const place = { folder: tempFolder(), prefix: 'it~' };
  const claims = Array.from({ length: 100 }, () => putUpClaim(place));
  expect(new Set(claims).size).toBe(100);
  expect(tryToClaim(place)).toMatchObject({ kind: 'taken', others: { length: 100 } });
});

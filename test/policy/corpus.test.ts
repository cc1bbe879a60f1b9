import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { z } from 'zod/mini';

const lines = z.array(z.string());
const schema = z.strictObject({ safe: lines, plain: lines, danger: lines, unclear: lines });
const corpus = schema.parse(parse(readFileSync(path.join(import.meta.dirname, 'corpus.toml'), 'utf8')));

test('the corpus is large, and says one thing about each line', () => {
  const all = Object.values(corpus).flat();
  const twice = all.filter((line, index) => all.indexOf(line) !== index);
  expect(twice).toEqual([]);
  expect(all.length).toBeGreaterThanOrEqual(320);
  expect(Object.values(corpus).every((each) => each.length >= 50)).toBe(true);
});

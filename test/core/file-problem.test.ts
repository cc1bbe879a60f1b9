import { expect, test } from 'vitest';

import { FileProblem } from '../../src/core/file-problem.js';

test.each([
  [undefined, 'it cannot be used'],
  ['ELOOP', 'it cannot be used (ELOOP)'],
])('the words of a problem are its message without the path, with the detail %s', (detail, words) => {
  const problem = new FileProblem('broken', '/a: b', detail);
  expect([problem.words, problem.message]).toEqual([words, `/a: b: ${words}`]);
});

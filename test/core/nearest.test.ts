import fc from 'fast-check';
import { expect, test } from 'vitest';

import { nearest } from '../../src/core/nearest.js';
import { propertyRuns } from '../support/property-runs.js';

test.each([
  ['modle', ['profile', 'model'], 'model'],
  ['omdel', ['model'], 'model'],
  ['Modell', ['profile', 'model'], 'model'],
  ['mode', ['model', 'node'], 'model'],
  ['ab', ['ba'], 'ba'],
  ['mdoel_x', ['model'], undefined],
  ['mlode', ['model'], undefined],
  ['x', [], undefined],
])('%s among %j means %s', (typed, candidates, meant) => {
  expect(nearest(typed, candidates)).toBe(meant);
});

test('two letters that changed places are as near as one wrong letter', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{2,12}$/), fc.nat(), (name, place) => {
      const at = place % (name.length - 1);
      const typed = `${name.slice(0, at)}${name[at + 1]}${name[at]}${name.slice(at + 2)}`;
      expect(nearest(typed, [name])).toBe(name);
    }),
    propertyRuns(100),
  );
});

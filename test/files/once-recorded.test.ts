import { describe, expect, test } from 'vitest';

import { until } from '../support/until.js';
import { ABSENT, FOLDER, KINDS, file, layGround } from './ground.js';

describe.each(KINDS)('$kind', ({ filesIn }) => {
  test('new content is prepared while a change is put on record, but no name changes before', async () => {
    const { files, changesOf, tree, lay } = layGround(filesIn);
    lay({ a: 'old', b: 'b' });
    const record = async () => {
      await until(() => Object.values(tree()).includes('new'));
      return tree();
    };
    const recorded = record();
    await files.change.onceRecorded?.(changesOf(['a', file('old'), file('new')], ['b', file('b'), ABSENT]), recorded);
    expect(await recorded).toMatchObject({ a: 'old', b: 'b' });
    expect(tree()).toEqual({ a: 'new' });
  });

  test('folders are not made before that', async () => {
    const { files, changesOf, tree, lay } = layGround(filesIn);
    lay({ a: 'old' });
    const recorded = new Promise((resolve) => setImmediate(resolve)).then(() => tree());
    await files.change.onceRecorded?.(changesOf(['d', ABSENT, FOLDER], ['x/y', ABSENT, file('y')]), recorded);
    expect([await recorded, tree()]).toEqual([{ a: 'old' }, { a: 'old', 'd/': '', 'x/y': 'y' }]);
  });

  test('what could not be put on record is not made, and leaves nothing behind', async () => {
    const { files, changesOf, tree, lay } = layGround(filesIn);
    lay({ a: 'old', b: 'b' });
    for (const changes of [
      changesOf(['a', file('old'), file('new')], ['b', file('b'), ABSENT]),
      changesOf(['a', file('old'), file('new')], ['d', ABSENT, FOLDER], ['x/y', ABSENT, file('y')]),
    ]) {
      const failed = Promise.reject(new Error('the disk is gone'));
      // It is heard of when it is waited for.
      failed.catch(() => undefined);
      const made = files.change.onceRecorded?.(changes, failed);
      await expect(made).rejects.toThrow('the disk is gone');
      expect(tree()).toEqual({ a: 'old', b: 'b' });
    }
  });
});

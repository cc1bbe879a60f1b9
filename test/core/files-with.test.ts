import { expect, test } from 'vitest';

import { ABSENT } from '../../src/core/files.js';
import type { Entry, Files } from '../../src/core/files.js';
import { filesWith } from '../../src/core/files-with.js';
import { absolutePath } from '../../src/core/paths.js';

const here = absolutePath('/here');
const entry: Entry = { kind: 'file', size: 0, mode: 0o644, modified: 0 };

class Remote implements Files {
  readonly name = 'remote';
  async open(): Promise<never> {
    throw new Error(`${this.name} open`);
  }
  async look(): Promise<Entry> {
    return { ...entry, target: this.name };
  }
  async *list() {
    yield [{ name: this.name, kind: 'file' as const }];
  }
  async change(): Promise<never> {
    throw new Error(`${this.name} change`);
  }
}

test('files with other parts keep the rest, also when they are the object of a class', async () => {
  expect.assertions(5);
  const files = filesWith(new Remote(), { look: async () => entry });
  expect(await files.look(here)).toEqual(entry);
  await expect(files.open(here)).rejects.toThrow('remote open');
  for await (const listed of files.list(here)) expect(listed).toEqual([{ name: 'remote', kind: 'file' }]);
  await expect(files.change([{ path: here, before: ABSENT, after: ABSENT }])).rejects.toThrow('remote change');

  expect((await filesWith(new Remote(), {}).look(here))?.target).toBe('remote');
});

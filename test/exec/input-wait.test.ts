import { expect, test } from 'vitest';

import { createInputWait } from '../../src/exec/input-wait.js';
import type { Terminal } from '../../src/index.js';

/** A terminal whose program waits, or does not, as the test says. */
function scripted(): { readonly terminal: Terminal; mark: string | undefined; onFlush: () => void } {
  const script = {
    mark: undefined as string | undefined,
    onFlush: () => {},
    terminal: {
      resize: () => {},
      flushed: async () => script.onFlush(),
      waiting: () => script.mark,
    },
  };
  return script;
}

/** Whether the wait has begun by now, after the terminal was looked at a few times. */
async function begun(begins: Promise<void>, looks = 5): Promise<boolean> {
  const turns = async (): Promise<boolean> => {
    for (let turn = 0; turn < looks; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
    return false;
  };
  return Promise.race([begins.then(() => true), turns()]);
}

test('a wait that was there before something was typed is not the one that follows', async () => {
  const script = scripted();
  const wait = createInputWait(script.terminal);
  const over = new AbortController();
  script.mark = 'first';
  wait.typed();
  const begins = wait.begins(over.signal);
  expect(await begun(begins)).toBe(false);
  script.mark = 'second';
  await begins;
  over.abort();
});

test('a wait is told early once; who asks again hears of it at the end of his time', async () => {
  const script = scripted();
  const wait = createInputWait(script.terminal);
  const over = new AbortController();
  script.mark = 'first';
  await wait.begins(over.signal);
  expect(await wait.look()).toBe(true);
  expect(await begun(wait.begins(over.signal))).toBe(false);
  expect(await wait.look()).toBe(true);
  over.abort();
});

test('a program that goes on while its words arrive does not wait', async () => {
  const script = scripted();
  const wait = createInputWait(script.terminal);
  script.mark = 'first';
  script.onFlush = () => {
    script.mark = undefined;
  };
  expect(await wait.look()).toBe(false);
});

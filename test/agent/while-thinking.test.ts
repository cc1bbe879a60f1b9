import { expect, test } from 'vitest';

import type { ModelEvent } from '../../src/core/model.js';
import { createSession } from '../../src/index.js';
import { modelAt } from '../support/agent.js';
import { latch, testRuntime } from '../support/runtime.js';

/** A session whose model answers once `thought` resolves, and what it has made ready by then. */
function sessionOver(thought: (ready: Promise<void>) => Promise<void>) {
  const ready = latch();
  const seen: string[] = [];
  const runtime = {
    ...testRuntime(),
    getReady() {
      seen.push('ready');
      ready.open();
    },
  };
  async function* open(): AsyncGenerator<ModelEvent, void, void> {
    seen.push('asked');
    await thought(ready.opened);
    yield { kind: 'completed', stop: 'end' };
  }
  const model = { ...modelAt({ baseUrl: 'http://127.0.0.1:9' }, 'responses'), open };
  return { session: createSession({ runtime, model }), seen };
}

test('what a call may need is made ready while the model thinks', async () => {
  const { session, seen } = sessionOver((ready) => ready);
  expect(await session.send('Hi')).toMatchObject({ status: 'completed' });
  expect(seen).toEqual(['asked', 'ready']);
});

test('for a model that answers at once nothing is made ready', async () => {
  const { session, seen } = sessionOver(() => Promise.resolve());
  expect(await session.send('Hi')).toMatchObject({ status: 'completed' });
  expect(seen).toEqual(['asked']);
});

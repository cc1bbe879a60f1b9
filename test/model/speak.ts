/** A model of the test's own, and what is asked of it. */
import { onTestFinished } from 'vitest';

import type { Entry, Model, ModelError, ModelEvent, ModelRequest } from '../../src/core/model.js';
import { createModel } from '../../src/model/create-model.js';
import { defineProvider } from '../../src/model/define-provider.js';
import type { ProviderSettings } from '../../src/model/provider-schema.js';

export const REQUEST: ModelRequest = {
  model: 'scripted-model',
  instructions: 'Be brief.',
  tools: [],
  toolChoice: 'auto',
  parallelToolCalls: false,
};

export const HELLO: Entry = { kind: 'input', role: 'user', content: [{ kind: 'text', text: 'Hello, wörld' }] };

export function modelAt(
  settings: ProviderSettings & { readonly base_url: string },
  env: Readonly<Record<string, string>> = {},
): Model {
  const provider = defineProvider('test', settings);
  const model = createModel({ provider, model: 'scripted-model', env, version: '9.9.9' });
  onTestFinished(() => model.close());
  return model;
}

export type Asking = {
  readonly request?: ModelRequest;
  readonly entries?: readonly Entry[];
  readonly signal?: AbortSignal;
};

export function open(
  model: Model,
  { request = REQUEST, entries = [HELLO], signal = new AbortController().signal }: Asking = {},
): AsyncIterable<ModelEvent> {
  return model.open(request, Buffer.from(entries.map((entry) => model.encode(entry)).join(',')), signal);
}

/** All that came, items by what they say; what went wrong comes last. */
export async function everything(events: AsyncIterable<ModelEvent>): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  try {
    for await (const event of events) seen.push(told(event));
  } catch (error) {
    seen.push(failureOf(error));
  }
  return seen;
}

function told(event: ModelEvent): unknown {
  if (event.kind !== 'item') return event;
  const { item } = event;
  return item.kind === 'call' ? { call: item.call.name } : { [item.kind]: 'text' in item ? item.text : '' };
}

function failureOf(error: unknown): unknown {
  const { name, kind, message, status, retryAfterMs, streaming } = error as ModelError;
  if (name !== 'ModelError') return error;
  return {
    failed: kind,
    message,
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(streaming && { streaming }),
  };
}

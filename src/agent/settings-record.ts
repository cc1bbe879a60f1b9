/** Writes down what a conversation runs with, whenever that is something else than before. */
import { isDeepStrictEqual } from 'node:util';

import type { ModelRequest } from '../core/model.js';
import type { ConversationSetup } from './conversation-setup.js';
import { now } from './keeping.js';
import type { Keeping } from './keeping.js';
import type { Past } from './past.js';

export interface SettingsRecord {
  chosen(setup: Pick<ConversationSetup, 'model' | 'restore'>): void;
  shaped(request: ModelRequest): void;
}

export function createSettingsRecord({ settings, request }: Past, { append }: Keeping): SettingsRecord {
  let lastSettings: object | undefined = settings && without(settings, 'type', 'at');
  let lastRequest: object | undefined;
  let lastShape: object | undefined = request;
  return {
    chosen({ model, restore }) {
      const next = { model: model.name, provider: model.provider, ...(restore && { restore }) };
      if (isDeepStrictEqual(next, lastSettings)) return;
      lastSettings = next;
      append({ type: 'settings.chosen', at: now(), ...next });
    },
    shaped(next) {
      // The same object has the same shape, so that usually nothing is compared.
      if (next === lastRequest) return;
      lastRequest = next;
      const shape = without(next, 'cacheKey');
      if (isDeepStrictEqual(shape, lastShape)) return;
      lastShape = shape;
      append({ type: 'request.shaped', request: shape });
    },
  };
}

/** As it would be read again, so that both can be compared. */
function without(value: object, ...keys: readonly string[]): Record<string, unknown> {
  const all = JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(all).filter(([key]) => !keys.includes(key)));
}

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { findLocal } from '../../src/model/find-local.js';
import { modelNames } from '../../src/model/list-models.js';
import type { ProviderSettings } from '../../src/model/provider-schema.js';
import { closedPort, httpServer, rawServer } from '../http/servers.js';
import { propertyRuns } from '../support/property-runs.js';

describe('a model server on this machine', () => {
  test('is the first in the order that has a model to write with', async () => {
    const empty = await serving({ object: 'list', data: null });
    const other = await httpServer((_, response) => void response.end('<html>my project</html>'));
    const good = await serving({
      data: [{ id: 'nomic-embed-text' }, { id: 'qwen3:8b' }, { id: 'openai/gpt-oss-20b' }],
    });
    const late = await serving({ data: [{ id: 'never' }] });
    const found = await findLocal({ ...QUESTION, tables: places([empty, other, good, late]) });
    expect([found.provider.id, found.model, found.models]).toEqual([
      'llamacpp',
      'openai/gpt-oss-20b',
      ['nomic-embed-text', 'qwen3:8b', 'openai/gpt-oss-20b'],
    ]);
  });

  test('may be named', async () => {
    const [first, second] = [await serving({ data: [{ id: 'a' }] }), await serving({ models: [{ name: 'b' }] })];
    const found = await findLocal({ ...QUESTION, id: 'vllm', tables: places([first, first, first, second]) });
    expect([found.provider.id, found.model]).toEqual(['vllm', 'b']);
  });

  test('is told of when it is not there, is something else, is silent, or has no model', async () => {
    const closed = { base_url: `http://127.0.0.1:${await closedPort()}/v1` };
    const other = await httpServer((_, response) => void response.writeHead(404).end('{}'));
    const silent = await rawServer(() => {});
    const tables = { ollama: closed, lmstudio: at(other.origin), llamacpp: at(silent.origin), vllm: closed };
    await expect(findLocal({ ...QUESTION, timeoutMs: 500, tables })).rejects.toThrow(
      `no model server was found on this machine. Tried: Ollama at ${closed.base_url} (connection refused), ` +
        `LM Studio at ${other.origin}/v1 (it answers with status 404), llama.cpp at ${silent.origin}/v1 (no answer), ` +
        `vLLM at ${closed.base_url} (connection refused). ` +
        'Start one (with Ollama: ollama serve), or say where it is in base_url of a table [model_providers.NAME]',
    );
    const empty = await serving({ data: [] });
    await expect(findLocal({ ...QUESTION, id: 'ollama', tables: { ollama: empty } })).rejects.toThrow(
      `Tried: Ollama at ${empty.base_url} (it has no model yet). Load a model into it (with Ollama: ollama pull gpt-oss:20b)`,
    );
  });

  test('has a name that is known', async () => {
    await expect(findLocal({ ...QUESTION, id: 'lmstudo' })).rejects.toThrow('Did you mean "lmstudio"?');
  });
});

describe('lists of models', () => {
  test.each([
    ['{"data":[{"id":"a"},{"id":7},{"name":"b"}]}', ['a', 'b']],
    ['{"models":[{"model":"c"},"d"]}', ['c', 'd']],
    ['["e"]', ['e']],
    ['{"data":null}', []],
    ['{"data":{}}', undefined],
    ['{}', undefined],
    ['<html>', undefined],
  ])('%s', (body, names) => {
    expect(modelNames(body)).toEqual(names);
  });

  test('any JSON is such a list or none', () => {
    fc.assert(
      fc.property(fc.json(), (body) => {
        expect((modelNames(body) ?? []).every((name) => typeof name === 'string')).toBe(true);
      }),
      propertyRuns(100),
    );
  });
});

const QUESTION = { env: {}, version: '9.9.9', timeoutMs: 5000 };

function at(origin: string): ProviderSettings {
  return { base_url: `${origin}/v1` };
}

async function serving(list: object): Promise<ProviderSettings> {
  const { origin } = await httpServer((request, response) => {
    response.writeHead(request.url === '/v1/models' ? 200 : 404).end(JSON.stringify(list));
  });
  return at(origin);
}

/** The usual ones, moved to these places. */
function places(moved: readonly (ProviderSettings | { readonly origin: string })[]): Record<string, ProviderSettings> {
  const ids = ['ollama', 'lmstudio', 'llamacpp', 'vllm'];
  return Object.fromEntries(moved.map((place, index) => [ids[index], 'origin' in place ? at(place.origin) : place]));
}

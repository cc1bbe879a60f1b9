import { describe, expect, test } from 'vitest';

import { WIRES } from '../../src/core/model.js';
import type { Entry, ModelRequest, Wire } from '../../src/core/model.js';
import { FULL_DIALECT, PLAIN_DIALECT } from '../../src/core/provider.js';
import type { Dialect } from '../../src/core/provider.js';
import type { ToolSpec } from '../../src/core/tool.js';
import { PROTOCOLS } from './spelled-streams.js';

const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } as const;
const look = { kind: 'function', name: 'look', description: 'Looks.', parameters, strict: true } as const;
const patch = {
  kind: 'custom',
  name: 'patch',
  description: 'Patches.',
  grammar: { syntax: 'lark', text: 'start: "x"' },
} as const;
const shell = {
  kind: 'hosted',
  name: 'own_shell',
  lowered: { description: 'Runs.', parameters, strict: false },
} as const;
const web = { kind: 'hosted', name: 'own_web', options: { size: 'small' } } as const;
const TOOLS: readonly ToolSpec[] = [look, shell, web, patch];

const request: ModelRequest = {
  model: 'm-1',
  instructions: 'Be brief.',
  tools: TOOLS,
  toolChoice: 'auto',
  parallelToolCalls: true,
  cacheKey: 'thread-1',
  reasoningEffort: 'low',
  reasoningSummary: 'auto',
  verbosity: 'low',
  outputSchema: { name: 'answer', schema: { type: 'object' }, strict: true },
  maxOutputTokens: 900,
};

const hello: Entry = { kind: 'input', role: 'user', content: [{ kind: 'text', text: 'hello' }] };
const full = { ...FULL_DIALECT, hostedTools: ['own_shell', 'own_web'] };
const plain = { ...PLAIN_DIALECT, strictSchemas: false };

function sent(wire: Wire, dialect: Dialect, given: ModelRequest = request): Record<string, unknown> {
  const protocol = PROTOCOLS[wire];
  return JSON.parse(protocol.head(given, dialect) + protocol.encode(hello, dialect) + protocol.tail) as Record<
    string,
    unknown
  >;
}

const plainFunction = (name: string, description: string, given: object = parameters) => ({
  name,
  description,
  parameters: given,
});
const wholeText = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole text for the tool.' } },
  required: ['input'],
  additionalProperties: false,
};
const grammarInWords = 'Patches.\n\nThe text must follow this lark grammar:\nstart: "x"';

describe('a Responses request', () => {
  test('says all that a server is known to take', () => {
    expect(sent('responses', full)).toEqual({
      model: 'm-1',
      instructions: 'Be brief.',
      tools: [
        { type: 'function', name: 'look', description: 'Looks.', strict: true, parameters },
        { type: 'own_shell' },
        { type: 'own_web', size: 'small' },
        {
          type: 'custom',
          name: 'patch',
          description: 'Patches.',
          format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
        },
      ],
      tool_choice: 'auto',
      parallel_tool_calls: true,
      reasoning: { effort: 'low', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      store: false,
      stream: true,
      prompt_cache_key: 'thread-1',
      text: {
        verbosity: 'low',
        format: { type: 'json_schema', name: 'answer', schema: { type: 'object' }, strict: true },
      },
      max_output_tokens: 900,
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] }],
    });
  });

  test('says to any other server what all of them take, and leaves out what only its own could run', () => {
    expect(sent('responses', plain)).toEqual({
      model: 'm-1',
      instructions: 'Be brief.',
      tools: [
        { type: 'function', strict: true, ...plainFunction('look', 'Looks.') },
        { type: 'function', strict: false, ...plainFunction('own_shell', 'Runs.') },
        { type: 'function', strict: false, ...plainFunction('patch', grammarInWords, wholeText) },
      ],
      tool_choice: 'auto',
      store: false,
      stream: true,
      max_output_tokens: 900,
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] }],
    });
  });
});

describe('a Chat request', () => {
  test('says all that a server is known to take; tools are functions all the same', () => {
    expect(sent('chat', full)).toEqual({
      model: 'm-1',
      stream: true,
      stream_options: { include_usage: true },
      tools: [
        { type: 'function', function: { strict: true, ...plainFunction('look', 'Looks.') } },
        { type: 'function', function: { strict: false, ...plainFunction('own_shell', 'Runs.') } },
        { type: 'function', function: { strict: false, ...plainFunction('patch', grammarInWords, wholeText) } },
      ],
      tool_choice: 'auto',
      parallel_tool_calls: true,
      reasoning_effort: 'low',
      verbosity: 'low',
      prompt_cache_key: 'thread-1',
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', schema: { type: 'object' }, strict: true },
      },
      max_completion_tokens: 900,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hello' },
      ],
    });
  });

  test('says to any other server what all of them take', () => {
    expect(sent('chat', plain)).toEqual({
      model: 'm-1',
      stream: true,
      stream_options: { include_usage: true },
      tools: [
        { type: 'function', function: plainFunction('look', 'Looks.') },
        { type: 'function', function: plainFunction('own_shell', 'Runs.') },
        { type: 'function', function: plainFunction('patch', grammarInWords, wholeText) },
      ],
      tool_choice: 'auto',
      max_tokens: 900,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hello' },
      ],
    });
  });
});

describe.each(WIRES)('on the %s wire', (wire) => {
  const bareRequest: ModelRequest = {
    model: 'm-1',
    instructions: '',
    tools: [],
    toolChoice: 'auto',
    parallelToolCalls: true,
  };

  test('a request without tools, settings and instructions does not speak of them', () => {
    const said = Object.keys(sent(wire, FULL_DIALECT, bareRequest));
    expect(said).toEqual(
      wire === 'responses'
        ? ['model', 'include', 'store', 'stream', 'input']
        : ['model', 'stream', 'stream_options', 'messages'],
    );
  });

  test('tools that are not to be used now are told all the same', () => {
    const tools = sent(wire, full)['tools'];
    expect(sent(wire, full, { ...request, toolChoice: 'none' })).toMatchObject({ tools, tool_choice: 'none' });
  });

  test('a summary that is not wanted is not asked for', () => {
    const silent = sent(wire, full, { ...request, reasoningSummary: 'none' });
    expect(silent['reasoning']).toEqual(wire === 'responses' ? { effort: 'low' } : undefined);
  });

  test('the history is the last field, so a longer one extends the request byte for byte', () => {
    const protocol = PROTOCOLS[wire];
    const first = protocol.head(request, full) + protocol.encode(hello, full);
    const second = `${first},${protocol.encode({ ...hello, role: 'developer' }, full)}`;
    expect(second.startsWith(first)).toBe(true);
    expect(Object.keys(JSON.parse(second + protocol.tail) as object).at(-1)).toBe(
      wire === 'responses' ? 'input' : 'messages',
    );
  });

  test('a schema for the answer changes nothing of a request to a server that takes none', () => {
    const { outputSchema: _schema, ...without } = request;
    expect(PROTOCOLS[wire].head(request, plain)).toBe(PROTOCOLS[wire].head(without, plain));
    expect(PROTOCOLS[wire].head(request, full)).not.toBe(PROTOCOLS[wire].head(without, full));
  });

  test.each(['developer', 'system', 'user'] as const)('our own words come from the %s', (contextRole) => {
    const entry: Entry = { kind: 'input', role: 'developer', content: [{ kind: 'text', text: 'note' }] };
    const encoded = PROTOCOLS[wire].encode(entry, { ...PLAIN_DIALECT, contextRole });
    expect(JSON.parse(encoded)).toMatchObject({ role: contextRole });
  });
});

import { describe, expect, test } from 'vitest';

import { defineFreeformTool, textOutput } from '../../src/index.js';
import type { Answer, Tool } from '../../src/index.js';
import { actingTool, testRuntime } from '../support/runtime.js';

const parameters = { type: 'object', properties: { n: { type: 'number' } } } as const;
const plain = actingTool('plain', async () => textOutput(''), {
  spec: { kind: 'function', name: 'plain', description: 'Plain.', parameters, strict: false },
});
const patch = defineFreeformTool({
  name: 'patch',
  description: 'Patches.',
  grammar: { syntax: 'lark', text: 'start: "x"' },
  intent: () => ({ effects: [] }),
  run: () => textOutput(''),
});
const hosted = (name: string, rest: object = {}): Tool =>
  actingTool(name, async () => textOutput(''), { spec: { kind: 'hosted', name, ...rest } });

const runtime = testRuntime({
  tools: [
    plain,
    patch,
    hosted('native_shell', { lowered: { description: 'Runs.', parameters, strict: false } }),
    hosted('web_thing', { options: { size: 'small' } }),
  ],
});

describe('what the model is told', () => {
  test('on the Responses wire', () => {
    expect(runtime.specs('responses')).toEqual([
      { type: 'native_shell' },
      {
        type: 'custom',
        name: 'patch',
        description: 'Patches.',
        format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
      },
      { type: 'function', name: 'plain', description: 'Plain.', strict: false, parameters },
      { type: 'web_thing', size: 'small' },
    ]);
  });

  test('on the Chat wire: functions only, and what cannot be one is left out', () => {
    expect(runtime.specs('chat')).toEqual([
      { type: 'function', function: { name: 'native_shell', description: 'Runs.', strict: false, parameters } },
      {
        type: 'function',
        function: {
          name: 'patch',
          description: 'Patches.\n\nThe text must follow this lark grammar:\nstart: "x"',
          strict: false,
          parameters: {
            type: 'object',
            properties: { input: { type: 'string', description: 'The whole text for the tool.' } },
            required: ['input'],
            additionalProperties: false,
          },
        },
      },
      { type: 'function', function: { name: 'plain', description: 'Plain.', strict: false, parameters } },
    ]);
  });

  test('is the same to the byte whatever order the tools came in', () => {
    const shuffled = testRuntime({ tools: [...runtime.tools].toReversed() });
    expect(JSON.stringify(shuffled.specs('responses'))).toBe(JSON.stringify(runtime.specs('responses')));
  });
});

test('an answer with a picture is a list of items on the Responses wire', () => {
  const answer = {
    callId: 'c1',
    payloadKind: 'function',
    success: true,
    content: [
      { kind: 'text', text: 'look' },
      { kind: 'image', mediaType: 'image/png', base64: 'AAAA' },
    ],
  } as unknown as Answer;
  expect(runtime.answerItem('responses', answer)).toEqual({
    type: 'function_call_output',
    call_id: 'c1',
    output: [
      { type: 'input_text', text: 'look' },
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
    ],
  });
});

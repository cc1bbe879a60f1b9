import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { findTextCalls } from '../../src/wire/text-calls.js';
import { propertyRuns } from '../support/property-runs.js';

const NAMES = ['shell', 'read_file'];
const LS = '{"name": "shell", "arguments": {"command": ["ls"]}}';
const CAT = '{"name": "read_file", "parameters": {"path": "a.txt"}}';
const ls = { name: 'shell', arguments: '{"command":["ls"]}' };
const cat = { name: 'read_file', arguments: '{"path":"a.txt"}' };

const found = (text: string) => findTextCalls(text, NAMES);

describe('a call is found', () => {
  test.each([
    ['in tags', `<tool_call>\n${LS}\n</tool_call>`],
    ['in a tag whose end a server cut off', `<tool_call>${LS}`],
    ['in a fence', `\`\`\`json\n${LS}\n\`\`\``],
    ['in a fence of its own kind', `\`\`\`tool_call\n${LS}\n\`\`\``],
    ['in a fence without a kind', `\`\`\`\n${LS}\n\`\`\``],
    ['in a fence on one line', `\`\`\`json ${LS} \`\`\``],
    ['as the whole message', `\n ${LS} \n`],
    ['as a list', `[${LS}]`],
    ['behind a mark', `[TOOL_CALLS][${LS}]`],
    ['behind another mark', `<|python_tag|>${LS}`],
    ['in the form of the API', `{"type":"function","function":${LS}}`],
    ['with arguments that are text', '{"name":"shell","arguments":"{\\"command\\":[\\"ls\\"]}"}'],
    ['by the name of a function', '<function=shell>{"command": ["ls"]}</function>'],
  ])('%s', (_form, text) => {
    expect(found(text)).toEqual({ text: '', calls: [ls] });
  });

  test('by its parameters, which are texts', () => {
    const text = [
      '<tool_call>',
      '<function=read_file>',
      '<parameter=path>',
      'a <b> {"c"}.txt',
      '</parameter>',
      '<parameter=start_line>5</parameter>',
      '</function>',
      '</tool_call>',
    ].join('\n');
    expect(found(text)).toEqual({
      text: '',
      calls: [{ name: 'read_file', arguments: '{"path":"a <b> {\\"c\\"}.txt","start_line":"5"}' }],
    });
    expect(found('<function=shell></function>').calls).toEqual([{ name: 'shell', arguments: '{}' }]);
  });

  test('in tags even when it has no arguments', () => {
    expect(found('<tool_call>{"name":"shell"}</tool_call>').calls).toEqual([{ name: 'shell', arguments: '{}' }]);
  });

  test('with marks inside of its arguments', () => {
    const given = { path: 'x', text: '```json\n</tool_call> \\" } ``` <tool_call>' };
    const call = JSON.stringify({ name: 'shell', arguments: given });
    for (const text of [`<tool_call>${call}</tool_call>`, `\`\`\`json\n${call}\n\`\`\``]) {
      expect(found(text)).toEqual({ text: '', calls: [{ name: 'shell', arguments: JSON.stringify(given) }] });
    }
  });
});

test('several calls are found in their order, and what stands around them stays', () => {
  expect(found(`First:\n<tool_call>${LS}</tool_call>\nthen\n\`\`\`json\n${CAT}\n\`\`\`\nDone.`)).toEqual({
    text: 'First:\n\nthen\n\nDone.',
    calls: [ls, cat],
  });
  expect(found(`${LS}\n${CAT}`).calls).toEqual([ls, cat]);
  expect(found(`[${LS}, ${CAT}]`).calls).toEqual([ls, cat]);
});

test('a fence that is only mentioned hides nothing, nor does one that holds the call alone', () => {
  expect(found(`Between \`\`\` marks:\n<tool_call>${LS}</tool_call>`).calls).toEqual([ls]);
  expect(found(`\`\`\`xml\n<tool_call>${LS}</tool_call>\n\`\`\``).calls).toEqual([ls]);
});

test('a call behind a piece of code is found', () => {
  const text = `\`\`\`python\nprint("{")\n\`\`\`\n\`\`\`json\n${LS}\n\`\`\``;
  expect(found(text)).toEqual({ text: '```python\nprint("{")\n```', calls: [ls] });
});

describe('left alone is', () => {
  test.each([
    ['plain text', 'I would call shell with {"command": ["ls"]}.'],
    ['a call in the middle of a sentence', `You could send ${LS} to it.`],
    ['a tool that the model was not told of', '<tool_call>{"name":"rm","arguments":{}}</tool_call>'],
    ['a list with something else in it', `[${LS}, {"name": "rm", "arguments": {}}]`],
    ['JSON that is no call', '```json\n{"name": "shell", "version": 2}\n```'],
    ['the description of a tool', '```json\n{"name":"shell","parameters":{"type":"object","properties":{}}}\n```'],
    ['half a call', '<tool_call>{"name": "shell", "arguments": {"comm'],
    ['arguments that are no object', '{"name": "shell", "arguments": [1]}'],
    ['a call in a file that is shown', `It says:\n\`\`\`markdown\n# Use\n<tool_call>${LS}</tool_call>\n\`\`\``],
    ['a call in other code', `\`\`\`python\n${LS}\n\`\`\``],
    ['a fence that goes on with more', `\`\`\`json\n${LS}\nand so on\n\`\`\``],
    ['a function that is only spoken of', 'There is <function=shell>.'],
    ['nothing', ''],
    ['an empty list', '[]'],
  ])('%s', (_what, text) => {
    expect(found(text)).toEqual({ text, calls: [] });
  });
});

test('what is found is what was written, whatever the arguments', () => {
  const forms = [
    (call: string) => `<tool_call>${call}</tool_call>`,
    (call: string) => `before\n\`\`\`json\n${call}\n\`\`\`\nafter`,
    (call: string) => `[TOOL_CALLS] [${call}]`,
    (call: string) => call,
  ];
  const given = fc.dictionary(fc.string(), fc.jsonValue()).filter((value) => !('type' in value));
  fc.assert(
    fc.property(fc.constantFrom(...forms), given, (form, value) => {
      const text = form(JSON.stringify({ name: 'shell', arguments: value }, null, 2));
      expect(found(text).calls).toEqual([{ name: 'shell', arguments: JSON.stringify(value) }]);
    }),
    propertyRuns(200),
  );
});

test('any text is read, calls are only of known tools, and text without them is untouched', () => {
  const mark = fc.constantFrom(
    '<tool_call>',
    '</tool_call>',
    '```',
    '```json\n',
    '<function=shell>',
    '</function>',
    '<parameter=a>',
    '</parameter>',
    '[TOOL_CALLS]',
    '<|python_tag|>',
    '{',
    '}',
    '[',
    '"',
    '\\',
    LS,
    CAT,
  );
  const text = fc.array(fc.oneof(mark, fc.string())).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (words) => {
      const { text: around, calls } = found(words);
      if (calls.length === 0) expect(around).toBe(words);
      expect(calls.filter(({ name }) => !NAMES.includes(name))).toEqual([]);
      expect(around.length).toBeLessThanOrEqual(words.length);
    }),
    propertyRuns(200),
  );
});

/** Twice the text costs about twice; if it cost its square, these would not end while anybody waits. */
test.each([
  '<tool_call>{',
  '<tool_call>',
  '```json\n[{"a":"',
  '<function=shell><parameter=a>',
  '[TOOL_CALLS]["',
  '{"a":[',
  '``` \n',
  '<tool_call>{}',
])('a long text of %s is read to its end', (piece) => {
  const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
  expect(found(text).calls).toEqual([]);
  expect(found(`${text}</parameter>`).calls).toEqual([]);
});

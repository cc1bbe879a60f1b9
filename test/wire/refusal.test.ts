import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { ModelError, WIRES } from '../../src/core/model.js';
import { propertyRuns } from '../support/property-runs.js';
import { PROTOCOLS } from './spelled-streams.js';

const refusal = (status: number, body: string): ModelError => PROTOCOLS.chat.refusal(status, body);

describe('the words of a server', () => {
  test.each([
    ['error.message', { error: { message: 'It broke.', type: 'x' } }],
    ['error alone', { error: 'It broke.' }],
    ['message', { message: 'It broke.', object: 'error' }],
    ['detail', { detail: 'It broke.' }],
    ['a list of details', { detail: [{ loc: ['body'], msg: 'It broke.' }] }],
    ['a list of errors', { errors: [{ message: 'It broke.' }] }],
    ['a list with an error in it', [{ error: { code: 418, message: 'It broke.', status: 'TEAPOT' } }]],
    ['a text', 'It broke.'],
  ])('are found in %s', (_where, body) => {
    expect(refusal(418, JSON.stringify(body)).message).toBe('the server refused the request (418): It broke.');
  });

  test('are those of the server behind a gateway as well', () => {
    const raw = JSON.stringify({ error: { message: 'prompt is too long: 9 tokens > 8 maximum' } });
    const body = { error: { message: 'Provider returned error', code: 400, metadata: { raw, provider_name: 'x' } } };
    expect(refusal(400, JSON.stringify(body))).toMatchObject({
      kind: 'overflow',
      message:
        'the server refused the request (400): Provider returned error: prompt is too long: 9 tokens > 8 maximum. ' +
        'The conversation does not fit into the model: compact it, or start a new one.',
    });
  });

  test('are the text itself where it is no JSON, in one line', () => {
    expect(refusal(502, ' upstream\n\tis\u0000 down \n').message).toBe(
      'the server cannot answer (502): upstream is down',
    );
  });

  test('are the title of a page', () => {
    const page =
      '<!DOCTYPE html>\n<html><head><TITLE lang="en">502 Bad\nGateway</TITLE></head><body>long</body></html>';
    expect(refusal(502, page).message).toBe('the server cannot answer (502): 502 Bad Gateway');
    expect(refusal(502, '<html><body>long</body></html>').message).toBe('the server cannot answer (502): a web page');
  });

  test('may be missing', () => {
    expect(refusal(500, '').message).toBe('the server cannot answer (500)');
    expect(refusal(500, '{}').message).toBe('the server cannot answer (500)');
  });

  test('are bounded', () => {
    const { message } = refusal(400, JSON.stringify({ error: { message: 'x'.repeat(100_000) } }));
    expect(message).toBe(`the server refused the request (400): ${'x'.repeat(600)}…`);
  });
});

describe('a status', () => {
  const OVERFLOWS = [
    "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
    'the request exceeds the available context size, try increasing it',
    'prompt is too long: 210000 tokens > 200000 maximum',
    'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    'The input token count (2097153) exceeds the maximum number of tokens allowed (1048576).',
    'the input length exceeds the context length',
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    'Please reduce the length of the messages or completion.',
    'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
    'Too many tokens in the prompt',
    'Input is too long for requested model.',
  ];

  test.each([400, 413, 422, 500])('%s with words about the context is an overflow', (status) => {
    const kinds = OVERFLOWS.map((message) => refusal(status, JSON.stringify({ error: { message } })).kind);
    expect(kinds).toEqual(OVERFLOWS.map(() => 'overflow'));
  });

  test.each([
    [400, { message: 'x', code: 'context_length_exceeded' }, 'overflow'],
    [400, { message: 'x', type: 'exceed_context_size_error' }, 'overflow'],
    [413, { message: 'Request too large for model m on tokens per minute (TPM): Limit 6, Requested 7' }, 'overflow'],
    [429, { message: 'Request too large for m (TPM): Limit 3, Requested 4.', code: 'rate_limit_exceeded' }, 'overflow'],
    [413, { message: 'Payload Too Large' }, 'refused'],
    [400, { message: 'Invalid schema for function x', code: 'invalid_function_parameters' }, 'refused'],
    [401, { message: 'Incorrect API key provided' }, 'refused'],
    [403, { message: 'Country not supported' }, 'refused'],
    [403, { message: 'x', code: 'insufficient_quota' }, 'quota'],
    [404, { message: 'The model `x` does not exist', code: 'model_not_found' }, 'refused'],
    [402, { message: 'Insufficient credits' }, 'quota'],
    [429, { message: 'Rate limit reached', code: 'rate_limit_exceeded' }, 'rate-limit'],
    [429, { message: 'Too many tokens, please wait before trying again.' }, 'rate-limit'],
    [429, { message: 'You exceeded your current quota', code: 'insufficient_quota' }, 'quota'],
    [429, { message: 'x', type: 'usage_limit_reached' }, 'quota'],
    [429, { message: 'You exceeded your current quota, please check your plan' }, 'quota'],
    [408, { message: 'Timeout' }, 'server'],
    [409, { message: 'Conflict' }, 'server'],
    [425, { message: 'Too early' }, 'server'],
    [500, { message: 'x' }, 'server'],
    [503, { message: 'x', code: 'server_is_overloaded' }, 'server'],
    [529, { message: 'Overloaded', type: 'overloaded_error' }, 'server'],
    [302, { message: 'x' }, 'refused'],
  ])('%s with %j is %s', (status, error, kind) => {
    expect(refusal(status, JSON.stringify({ error }))).toMatchObject({ kind, status, streaming: false });
  });

  test.each([
    [401, 'Check the key of the provider.'],
    [403, 'The key may not be allowed to use this model.'],
    [404, 'Check base_url, wire_api and the name of the model.'],
    [413, 'Send less: fewer images, or shorter input.'],
    [402, 'Check your plan and its billing with the provider.'],
  ])('%s says what to do', (status, advice) => {
    expect(refusal(status, '{"error":"No."}').message).toBe(
      `the server refused the request (${status}): No. ${advice}`,
    );
  });

  test.each([
    [429, 'Please retry in 34.074824224s.', 34_075],
    [429, 'Rate limited. Try again in 1h2m3s', 3_723_000],
    [503, 'Overloaded, retry after 5 seconds', 5000],
    [429, 'try again in a moment', undefined],
    [429, 'try again in 5 apples', undefined],
    [400, 'try again in 5s', undefined],
  ])('%s with "%s" asks for a delay of %s', (status, message, delay) => {
    expect(refusal(status, JSON.stringify({ message })).retryAfterMs).toBe(delay);
  });
});

describe.each(WIRES)('on the %s wire', (wire) => {
  test('any body is a refusal of bounded length', () => {
    const body = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((json) => `{"error":${json}}`),
      fc.json().map((json) => `{"detail":[${json}]}`),
    );
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 599 }), body, (status, text) => {
        const error = PROTOCOLS[wire].refusal(status, text);
        expect(error).toBeInstanceOf(ModelError);
        expect(error.message.length).toBeLessThan(1000);
      }),
      propertyRuns(200),
    );
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';

import { isJsonObject } from '../../src/core/json-object.js';
import { brave } from '../../src/web/brave.js';
import { plainText } from '../../src/web/plain-text.js';
import { searxng } from '../../src/web/searxng.js';
import { tavily } from '../../src/web/tavily.js';
import { propertyRuns } from '../support/property-runs.js';

/** Nearly hits, between anything else. */
const hit = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      title: fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()),
      url: fc.oneof(
        fc.webUrl({ withQueryParameters: true }),
        fc.string(),
        fc.constant('data:text/html,x'),
        fc.jsonValue(),
      ),
      content: fc.oneof(fc.string({ unit: 'binary', maxLength: 3_000 }), fc.jsonValue()),
      description: fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()),
    },
    { requiredKeys: [] },
  ),
);
const list = fc.oneof(fc.array(hit, { maxLength: 40 }), fc.jsonValue());
const body = fc.oneof(
  fc.jsonValue(),
  fc.record({ results: list, web: fc.oneof(fc.record({ results: list }), fc.jsonValue()), type: fc.jsonValue() }),
);

test.each([searxng, brave, tavily])(
  'whatever $name sends, results are bounded text with an address of the web',
  (service) => {
    fc.assert(
      fc.property(body, (sent) => {
        const results = service.readResults(JSON.parse(JSON.stringify(sent)));
        if (results === undefined) return;
        expect(results.length).toBeLessThanOrEqual(20);
        for (const { title, url, snippet } of results) {
          expect(new URL(url).protocol).toMatch(/^https?:$/);
          expect([url.length <= 1_000, snippet.length <= 600, title.length > 0]).toEqual([true, true, true]);
          expect(`${title}${snippet}`).not.toMatch(/[\p{Cc}\p{Cs}\u202E]/u);
        }
      }),
      propertyRuns(200),
    );
  },
);

test.each([searxng, brave, tavily])('$name: an answer that is a list of hits is read to the end', (service) => {
  fc.assert(
    fc.property(fc.array(fc.webUrl(), { maxLength: 20 }), (urls) => {
      const results = urls.map((url) => ({ url, title: 't' }));
      const read = service.readResults({ type: 'search', results, web: { results } });
      expect(read?.map(({ url }) => url)).toEqual(urls.map((url) => new URL(url).href));
    }),
    propertyRuns(50),
  );
});

test('what has no list is no answer, however it looks', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (sent) => {
      const hasList = isJsonObject(sent) && (Array.isArray(sent['results']) || isJsonObject(sent['web']));
      if (!hasList) expect([searxng.readResults(sent), tavily.readResults(sent)]).toEqual([undefined, undefined]);
    }),
    propertyRuns(200),
  );
});

test.each([
  ['a <strong>bold</strong> word', 'a bold word'],
  ['1 < 2 and 3 > 2', '1 < 2 and 3 > 2'],
  ['&lt;b&gt; &amp;amp; &#65;&#x42; &unknown; &#0; &#xFFFFFF;', '<b> &amp; AB &unknown; &#0; &#xFFFFFF;'],
  ['two\r\nlines\tand\u00A0spaces', 'two lines and spaces'],
  ['left\u202Eright\u200B and \u{E0041}hidden', 'leftright and hidden'],
  ['می\u200Cخواهم', 'می\u200Cخواهم'],
  ['<!-- not seen -->seen', 'seen'],
  [`${'x'.repeat(18)}😀😀`, `${'x'.repeat(18)}…`],
  [42, ''],
  [undefined, ''],
])('the plain text of %j is %j', (value, text) => {
  expect(plainText(value, 20 + (typeof value === 'string' && !value.includes('😀') ? 80 : 0))).toBe(text);
});

test('plain text is never longer than asked, and never half a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.integer({ min: 1, max: 50 }), (text, longest) => {
      const plain = plainText(text, longest);
      expect(plain.length).toBeLessThanOrEqual(longest);
      expect(plain).not.toMatch(/\p{Cs}/u);
      expect(plain).toBe(plain.trim());
    }),
    propertyRuns(300),
  );
});

test('markup without an end costs no more than its length', () => {
  const hostile = ['<', '<a ', '<!--', '&#', '<a <a '].map((piece) => piece.repeat(50_000));
  expect(hostile.map((text) => plainText(text, 200_000).length <= 200_000)).toEqual(hostile.map(() => true));
});

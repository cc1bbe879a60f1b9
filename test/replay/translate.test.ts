import { expect, test } from 'vitest';

import { createTranslation } from '../../src/replay/translate.js';

const PLACES = { from: ['/project', '/link'], to: '/copy' };

test('the workspace is named as it is now, everywhere in a value', () => {
  const translation = createTranslation(PLACES);
  const item = {
    call: { arguments: '{"path":"/project/a.txt","dir":"/link"}' },
    raw: [{ text: 'in /project' }, 3, null],
  };
  expect(translation.of(item)).toEqual({
    call: { arguments: '{"path":"/copy/a.txt","dir":"/copy"}' },
    raw: [{ text: 'in /copy' }, 3, null],
  });
  expect(translation.of('/projects and /other/project')).toBe('/projects and /other/project');
});

test('a command that goes on is named as it is now, but no other number is touched', () => {
  const translation = createTranslation(PLACES);
  translation.learnSession(61097, 5);
  const args = '{"session_id": 61097, "chars": "61097", "yield_time_ms": 61097}';
  expect(translation.of(args)).toBe('{"session_id": 5, "chars": "61097", "yield_time_ms": 61097}');
  expect(translation.of(JSON.stringify({ arguments: args }))).toBe(
    JSON.stringify({ arguments: args.replace('61097', '5') }),
  );
  expect(translation.of('{"session_id": 610970}')).toBe('{"session_id": 610970}');
});

test('a file that holds a long output is the one that holds it now', () => {
  const translation = createTranslation(PLACES);
  const answer = (text: string) => ({ content: [{ kind: 'text', text } as const] });
  const then = '/h/artifacts/1-0a/1-call_1.txt';
  const now = '/g/artifacts/2-0b/1-call_1.txt';
  translation.learn(answer(`[The whole output is in ${then}; read …]`), answer(`[… is in ${now}; read …]`));
  expect(translation.of(`{"path":"${then}"}`)).toBe(`{"path":"${now}"}`);
});

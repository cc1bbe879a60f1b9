import { expect, test } from 'vitest';

import { sessionTable, shortIds } from '../../../src/cli/sessions/session-table.js';
import { localTime } from '../../../src/cli/sessions/times.js';
import type { SessionSummary } from '../../../src/index.js';

const AT = '2026-01-31T12:00:00.000Z';

function summary(more: Partial<SessionSummary>): SessionSummary {
  return {
    id: 'nightly',
    preview: 'Fix it',
    cwd: '/project',
    model: 'm',
    provider: 'p',
    createdAt: AT,
    usedAt: AT,
    turns: 1,
    status: 'completed',
    ...more,
  };
}

test('ids that begin with their time are as short as they can be told apart', () => {
  expect(
    shortIds([
      '019a8d2c-4f3b-7aaa-8000-000000000001',
      '019a8d2c-4f3b-7aab-8000-000000000002',
      '019a8d2c-4f3c-7aaa-8000-000000000003',
      'chosen-by-somebody',
    ]),
  ).toEqual(['019a8d2c-4f3b-7aaa', '019a8d2c-4f3b-7aab', '019a8d2c-4f3c', 'chosen-by-somebody']);
});

test('each is a line, whatever it is called', () => {
  const table = sessionTable(
    [
      summary({ name: 'a\nb', preview: '\u001b[2Jgone', turns: 12 }),
      summary({ id: 'x', waitsFor: 'Run rm', status: 'unfinished' }),
    ],
    { numbered: true, folders: true },
  );
  const at = localTime(AT);
  expect(table.split('\n')).toEqual([
    `   ID       ${'LAST USED'.padEnd(at.length)}  TURNS  STATUS     MODEL  SESSION`,
    `1  nightly  ${at}  12     completed  m      a b: \\u{1b}[2Jgone  (/project)`,
    `2  x        ${at}  1      asking     m      Fix it  (/project)`,
  ]);
});

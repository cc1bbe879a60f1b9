import os from 'node:os';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { environmentText } from '../../src/context/environment.js';
import type { EnvironmentContext } from '../../src/context/environment.js';
import { prettyName, readEnvironment } from '../../src/context/read-environment.js';
import { propertyRuns } from '../support/property-runs.js';

const usual: EnvironmentContext = {
  cwd: '/project/app',
  shell: 'bash',
  operatingSystem: 'Debian GNU/Linux 12 (bookworm)',
  currentDate: '2026-01-31',
  timezone: 'Europe/Vienna',
  writableRoots: ['/project/app', '/project/shared'],
  networkAccess: false,
};

test('the first time all of it is told', () => {
  expect(environmentText(usual)).toBe(`<environment_context>
  <cwd>/project/app</cwd>
  <shell>bash</shell>
  <operating_system>Debian GNU/Linux 12 (bookworm)</operating_system>
  <current_date>2026-01-31</current_date>
  <timezone>Europe/Vienna</timezone>
  <writable_roots><root>/project/app</root><root>/project/shared</root></writable_roots>
  <network_access>restricted</network_access>
</environment_context>`);
});

test('later only what has changed', () => {
  const now = { ...usual, currentDate: '2026-02-01', writableRoots: [], networkAccess: true };
  expect(environmentText(now, usual)).toBe(`<environment_context>
  <current_date>2026-02-01</current_date>
  <writable_roots></writable_roots>
  <network_access>enabled</network_access>
</environment_context>`);
});

test('nothing when nothing has', () => {
  expect(environmentText(structuredClone(usual), usual)).toBeUndefined();
});

test('two fields that swap their values have both changed', () => {
  const told = { ...usual, shell: 'a', timezone: 'b' };
  expect(environmentText({ ...told, shell: 'b', timezone: 'a' }, told)).toBe(`<environment_context>
  <shell>b</shell>
  <timezone>a</timezone>
</environment_context>`);
});

test('no name of a folder ends its tag or its line', () => {
  const line = fc.string({ unit: fc.constantFrom(...'a<>&/;\n\r\u0085\u2028\u0000') });
  fc.assert(
    fc.property(line, fc.array(line, { maxLength: 3 }), (cwd, writableRoots) => {
      const text = environmentText({ ...usual, cwd, writableRoots }) ?? '';
      const shape = text.replaceAll(/<root>[^<>\n]*<\/root>/g, '').replace(/<cwd>[^<>\n]*<\/cwd>/, '<cwd></cwd>');
      expect(shape).toBe(environmentText({ ...usual, cwd: '', writableRoots: [] }));
    }),
    propertyRuns(50),
  );
});

test('the machine is asked for the rest', () => {
  const given = { cwd: '/project/app', shell: 'zsh', writableRoots: ['/project/app'], networkAccess: true };
  const { operatingSystem, timezone, ...rest } = readEnvironment(given, new Date(2026, 8, 5, 23, 59));
  expect(rest).toEqual({ ...given, currentDate: '2026-09-05' });
  expect(operatingSystem).toContain(`(${os.type()} ${os.release()}, ${os.arch()})`);
  expect(timezone).toMatch(/^[A-Za-z]/);
});

test.each([
  ['NAME=x\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\n', 'Debian GNU/Linux 12 (bookworm)'],
  ["PRETTY_NAME='Alpine Linux'\n", 'Alpine Linux'],
  ['PRETTY_NAME=Arch\r\n', 'Arch'],
  ['PRETTY_NAME="say \\"hi\\" for \\$5"', 'say "hi" for $5'],
  ['PRETTY_NAME=""', undefined],
  ['NOT_PRETTY_NAME="x"', undefined],
  ['', undefined],
])('the name of a system in %j is %j', (release, name) => {
  expect(prettyName(release)).toBe(name);
});

test('any release file gives a short line or nothing', () => {
  const line = fc.oneof(
    fc.constant('PRETTY_NAME='),
    fc.string({ unit: fc.constantFrom('"', "'", '\\', 'a', '\n', '=') }),
  );
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const name = prettyName(lines.join(''));
      expect(name ?? 'none').toMatch(/^[^\n]{1,100}$/);
    }),
    propertyRuns(500),
  );
});

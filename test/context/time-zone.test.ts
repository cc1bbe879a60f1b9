import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

import { timeZone } from '../../src/context/time-zone.js';
import { tempFolder } from '../support/temp-folder.js';

const OF_INTL = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A system with two zones, whose own is whatever the link leads to. */
function placesWith({ variable, linkTo }: { variable?: string; linkTo?: string }) {
  const folder = tempFolder();
  const zones = path.join(folder, 'zoneinfo');
  mkdirSync(path.join(zones, 'Europe'), { recursive: true });
  writeFileSync(path.join(zones, 'Europe/Vienna'), '');
  writeFileSync(path.join(zones, 'UTC'), '');
  const link = path.join(folder, 'localtime');
  if (linkTo !== undefined) symlinkSync(linkTo, link);
  return { variable, link, zones };
}

test.each<readonly [what: string, given: { variable?: string; linkTo?: string }, name: string]>([
  ['the variable', { variable: 'Europe/Vienna', linkTo: '/zoneinfo/Asia/Tokyo' }, 'Europe/Vienna'],
  ['the link', { linkTo: '/usr/share/zoneinfo/America/Port-au-Prince' }, 'America/Port-au-Prince'],
  ['a link of three parts', { linkTo: '../zoneinfo/America/North_Dakota/Center' }, 'America/North_Dakota/Center'],
  ['a link with an hour', { linkTo: '/usr/share/zoneinfo/Etc/GMT+5' }, 'Etc/GMT+5'],
  ['the zone of most servers', { linkTo: '/usr/share/zoneinfo/Etc/UTC' }, 'UTC'],
  ['the same by its short name', { variable: 'UTC' }, 'UTC'],
])('%s tells the zone', (_, given, name) => {
  expect(timeZone(placesWith(given))).toBe(name);
});

test.each<readonly [what: string, given: { variable?: string; linkTo?: string }]>([
  ['a zone that does not exist', { variable: 'Europe/Atlantis' }],
  ['a way out of the folder', { variable: '../localtime', linkTo: '/zoneinfo/Europe/Vienna' }],
  ['rules instead of a name', { variable: 'CET-1CEST', linkTo: '/zoneinfo/Europe/Vienna' }],
  ['an empty variable', { variable: '', linkTo: '/zoneinfo/Europe/Vienna' }],
  ['no link', {}],
  ['a link to somewhere else', { linkTo: '/etc/my-zone' }],
  ['a link whose end is no name', { linkTo: '/usr/share/zoneinfo/<b>' }],
])('%s is left to Intl', (_, given) => {
  expect(timeZone(placesWith(given))).toBe(OF_INTL);
});

const ZONES = '/usr/share/zoneinfo';

test.runIf(existsSync(path.join(ZONES, 'Europe/Vienna'))).each(['Europe/Vienna', 'UTC', 'Etc/UTC'])(
  '%s has the name that Intl gives it',
  (variable) => {
    const ofIntl = execFileSync(process.execPath, ['-p', 'Intl.DateTimeFormat().resolvedOptions().timeZone'], {
      env: { ...process.env, TZ: variable },
      encoding: 'utf8',
    });
    expect(timeZone({ variable, link: '/etc/localtime', zones: ZONES })).toBe(ofIntl.trim());
  },
);

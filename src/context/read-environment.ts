/** What only the machine knows of where the model is: its system, its day and its time zone. */
import fs from 'node:fs';
import os from 'node:os';

import type { EnvironmentContext } from './environment.js';
import { timeZone } from './time-zone.js';

type Given = Omit<EnvironmentContext, 'operatingSystem' | 'currentDate' | 'timezone'>;

export function readEnvironment(given: Given, now: Date = new Date()): EnvironmentContext {
  return {
    ...given,
    operatingSystem: operatingSystem(),
    currentDate: dayOf(now),
    timezone: timeZone(),
  };
}

function operatingSystem(): string {
  const name = process.platform === 'darwin' ? 'macOS' : process.platform === 'linux' ? linuxName() : undefined;
  return `${name ?? os.type()} (${os.type()} ${os.release()}, ${os.arch()})`;
}

/** Where distributions say what they are called. */
const RELEASE_FILES = ['/etc/os-release', '/usr/lib/os-release'];

function linuxName(): string | undefined {
  for (const file of RELEASE_FILES) {
    try {
      return prettyName(fs.readFileSync(file, 'utf8'));
    } catch {
      // The next one, or none.
    }
  }
  return undefined;
}

const LONGEST_NAME = 100;

/** The `PRETTY_NAME` of an os-release file, whose values are quoted as for a shell. */
export function prettyName(release: string): string | undefined {
  const value = /^PRETTY_NAME=(.*)$/m.exec(release)?.[1]?.trim() ?? '';
  const inner = /^"(.*)"$/.exec(value)?.[1] ?? /^'(.*)'$/.exec(value)?.[1] ?? value;
  const name = inner.replaceAll(/\\(.)/g, '$1').slice(0, LONGEST_NAME);
  return name === '' ? undefined : name;
}

function dayOf(now: Date): string {
  const [month, day] = [now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, '0'));
  return `${now.getFullYear()}-${month}-${day}`;
}

/** The devices that programs cannot do without, as far as they are here. Everything else in `/dev` is a way out. */
import fs from 'node:fs';

import type { Abilities } from './launch.js';

const NEEDED = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];
const SHARED = ['pts', 'shm'];

/** In a container some of them may be missing, and others be links to those in a folder. */
export function findDevices(): Pick<Abilities, 'devices' | 'sharedDevices'> {
  return {
    devices: [...NEEDED, 'ptmx'].map(inDev).filter((file) => statsOf(file)?.isCharacterDevice()),
    sharedDevices: SHARED.map(inDev).filter((folder) => statsOf(folder)?.isDirectory()),
  };
}

function inDev(name: string): string {
  return `/dev/${name}`;
}

function statsOf(file: string): fs.Stats | undefined {
  return fs.lstatSync(file, { throwIfNoEntry: false });
}

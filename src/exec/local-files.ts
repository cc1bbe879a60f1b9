/** The files of this machine, with no other limits than those of the system. */
import type { Files } from '../core/files.js';
import { ANCHORING_HERE } from '../files/anchor.js';
import { machineFiles } from '../files/machine-files.js';

export const localFiles: Files = machineFiles({ anchoring: ANCHORING_HERE });

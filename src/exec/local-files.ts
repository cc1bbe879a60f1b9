/** The files of this machine, with no other limits than those of the system. */
import type { Files } from '../core/files.js';
import { BY_DESCRIPTOR, BY_NAME } from '../files/anchor.js';
import { machineFiles } from '../files/machine-files.js';

export const localFiles: Files = machineFiles({ anchoring: process.platform === 'linux' ? BY_DESCRIPTOR : BY_NAME });

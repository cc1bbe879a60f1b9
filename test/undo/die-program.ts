/** Makes a change to several files, or puts right what another run left, and is killed in the middle. */
import { absolutePath } from '../../src/core/paths.js';
import { callId } from '../../src/core/ids.js';
import { localFiles } from '../../src/exec/local-files.js';
import { removeLeftovers } from '../../src/files/temporary-name.js';
import { createChangeLog } from '../../src/undo/create-change-log.js';
import { changesOf } from './changes-of.js';

declare const armDeath: (call: number) => void;
declare const callsMade: () => number;

const [cwd = '', folder = '', call = '', task = ''] = process.argv.slice(2);
const log = createChangeLog({ folder, cwd: absolutePath(cwd), files: localFiles, removeLeftovers });

async function main(): Promise<void> {
  if (task === 'recover') {
    armDeath(Number(call));
    return log.ready();
  }
  await log.ready();
  armDeath(Number(call));
  const changes = changesOf((name) => absolutePath(`${cwd}/${name}`), JSON.parse(task));
  await log.recording({ callId: callId('1'), turn: 't', title: 'killed' }, localFiles).change(changes);
}

void main().then(() => process.stdout.write(String(callsMade())));

/** Sends an answer as slowly, as badly or as partly as it is meant to be. Ends at once when the client is gone. */
import type { ServerResponse } from 'node:http';

import type { Reply } from './scripted-model-reply.js';
import type { ScriptedTurn } from './scripted-model-turn.js';

export async function send(reply: Reply | 'reset', response: ServerResponse, turn: ScriptedTurn): Promise<void> {
  // While a script made up its mind, the client may have left.
  if (response.destroyed) return;
  const gone = new Promise<'gone'>((resolve) => response.once('close', () => resolve('gone')));
  // A client that leaves in the middle is what some of the faults are for.
  response.on('error', () => {});
  if (reply === 'reset') return void response.socket?.resetAndDestroy();
  const holdAt = turn.hold === undefined ? undefined : Math.min(reply.holdAfter ?? BEFORE_ALL, reply.pieces.length);
  const settled = turn.hold?.catch(() => {});
  const held = async (at: number) => at === holdAt && (await Promise.race([settled, gone])) === 'gone';
  if (await held(BEFORE_ALL)) return;
  response.writeHead(reply.status, reply.headers);
  response.flushHeaders();
  for (const [index, piece] of reply.pieces.entries()) {
    if (await held(index)) return;
    for (const bytes of inWrites(piece, turn.writeSize)) {
      if ((await Promise.race([written(response, bytes), gone])) === 'gone') return;
    }
  }
  if (await held(reply.pieces.length)) return;
  if (reply.ending === 'drop') response.destroy();
  if (reply.ending === 'end') response.end();
  await gone;
}

const BEFORE_ALL = -1;

function inWrites(piece: string, size: number | undefined): readonly Buffer[] {
  const bytes = Buffer.from(piece);
  if (size === undefined) return [bytes];
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
}

/** Handed to the system, so that a socket which is destroyed next has sent it. */
function written(response: ServerResponse, bytes: Buffer): Promise<'written'> {
  return new Promise((resolve) => response.write(bytes, () => resolve('written')));
}

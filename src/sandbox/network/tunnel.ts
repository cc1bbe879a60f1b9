/** Bytes in both directions between a client and the host it asked for, each side ending for itself. */
import type { Socket } from 'node:net';

import type { Destination } from './destination.js';
import { answerAndClose, plainAnswer } from './plain-answer.js';
import { refusalText } from './refusal.js';
import type { Refusal } from './refusal.js';
import type { Run } from './runs.js';
import { checkServerName, TLS_PORT } from './server-name.js';

/** Fatal, "unrecognized name": what TLS itself has to say to a wrong server name. */
const TLS_ALERT = Buffer.from([21, 3, 1, 0, 2, 2, 112]);

type TunnelEnds = { readonly client: Socket; readonly server: Socket; readonly to: Destination };

/** Called after the client was told that it is connected: from now on it can only be answered in its own protocol. */
export async function tunnel({ client, server, to }: TunnelEnds, run: Run, helloMs: number): Promise<void> {
  if (client.destroyed) return void server.destroy();
  client.setNoDelay(true);
  client.once('close', () => endAfter(client, server));
  const onServerClose = (): void => endAfter(server, client);
  server.once('close', onServerClose);
  // Elsewhere the server may be the one to speak first.
  if (to.port !== TLS_PORT) server.pipe(client);
  const refusal = await checkServerName(client, to, helloMs);
  if (refusal === undefined) {
    client.pipe(server);
    if (to.port === TLS_PORT) server.pipe(client);
    return;
  }
  server.off('close', onServerClose).destroy();
  answerAndClose(client, farewell(run.refuse(refusal)));
}

/** One that has said and heard everything leaves the other to finish; one that broke must not look like a goodbye. */
function endAfter(ended: Socket, other: Socket): void {
  if (!ended.readableEnded || !ended.writableFinished) other.resetAndDestroy();
}

function farewell(refusal: Refusal): Buffer {
  return refusal.reason === 'not-tls' ? plainAnswer(403, refusalText(refusal)) : TLS_ALERT;
}

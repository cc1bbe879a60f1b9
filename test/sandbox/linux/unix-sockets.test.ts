import net from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

import { testSandbox, whyNot } from '../../support/confined.js';
import { CAN_RUN } from '../../support/test-runner.js';

/** Connects to a service that listens on a socket with a path, and prints what it says. */
const CLIENT = "require('net').connect(process.argv[1]).on('error', () => process.exit(9)).pipe(process.stdout)";

async function service(file: string): Promise<void> {
  const server = net.createServer((socket) => socket.end('reached'));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(file, resolve));
}

describe.skipIf(!CAN_RUN).each(['cell', 'bubblewrap', 'landlock'] as const)(
  'services of the machine in %s',
  (backend) => {
    test.for(['none', 'private'] as const)(
      'are reached only where the guarantees say so: %s',
      async (unixSockets, ctx) => {
        const sandbox = testSandbox({ sandbox: { backend, unixSockets } });
        const reason = await whyNot(sandbox, backend);
        if (reason !== undefined) ctx.skip(reason);
        const socket = path.join(sandbox.outside, 'service');
        await service(socket);

        const { output } = await sandbox.run(process.execPath, '-e', CLIENT, socket);
        const [probed] = await sandbox.probe([backend]);
        const told = probed?.works === true ? probed.guarantees.unixSockets : undefined;
        expect({ reached: output.includes('reached'), told: told === 'open' }).toEqual({
          reached: told === 'open',
          told: output.includes('reached'),
        });
      },
    );
  },
);

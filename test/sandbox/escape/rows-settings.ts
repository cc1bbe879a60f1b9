/** Other settings than the usual ones, and what must hold under all of them. */
import fs from 'node:fs';
import path from 'node:path';

import { AT_FDCWD } from '../../../src/sandbox/linux/flags.js';
import { runIn } from './grounds.js';
import type { OpenSandbox } from './grounds.js';
import { OPEN } from './probe.js';
import { by, finding } from './row.js';
import type { Finding, Row } from './row.js';
import { all } from './rows-files.js';
import { connectToPath } from './rows-network.js';
import { tryInside } from './try-inside.js';

const REFUSED = by('EROFS', 'EACCES');

/** Those of other tests come and go, and a sandbox that was to hide one that is gone does not start. */
async function whileSocketsStay(attempt: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  for (let left = 10; ; left -= 1) {
    const findings = await attempt();
    if (left === 0 || !findings.some(({ got }) => /hiding \S+\.sock: ENOENT/.test(got))) return findings;
  }
}

export const SETTING_ROWS: readonly Row[] = [
  {
    id: 'A17',
    title: 'a crash leaves nothing',
    async story({ workspace, run }) {
      const names = fs.readdirSync(workspace).join();
      await run(['/bin/sh', '-c', 'ulimit -c unlimited 2>/dev/null; kill -SEGV $$']);
      return [finding('names in the workspace', fs.readdirSync(workspace).join(), names)];
    },
  },
  {
    id: 'A18',
    title: 'own limits are not lifted',
    story: (grounds, stand) =>
      tryInside(
        grounds,
        stand,
        all('EPERM', {
          'of files': (p) => p.call('prlimit64', [0, 1, p.bytes(new Uint8Array(16).fill(0xff)), 0]),
          'of crashes': (p) => p.call('prlimit64', [0, 4, p.bytes(new Uint8Array(16).fill(0xff)), 0]),
        }),
        { settings: { limits: { fileBytes: 1 << 20 } } },
      ),
  },
  {
    id: 'A19',
    title: 'in read-only mode not even the workspace is written',
    story: (grounds, stand) =>
      tryInside(
        grounds,
        stand,
        all(REFUSED, {
          'a file in the workspace': (p) => p.open(`${grounds.workspace}/new`, OPEN.create, 0o644),
          'one that is there': (p) => p.open(`${grounds.workspace}/mine`, OPEN.write),
          'a temporary one': (p) => p.open(`/tmp/${grounds.token}`, OPEN.create, 0o644),
          'another temporary one': (p) => p.open(`/var/tmp/${grounds.token}`, OPEN.create, 0o644),
        }),
        { settings: { excludeSlashTmp: false, excludeTmpdir: false }, more: { sandboxMode: 'read-only' } },
      ),
  },
  {
    id: 'A20',
    title: 'with sockets of its own, those of the machine stay out of reach',
    async story(grounds, stand) {
      const none = 'ECONNREFUSED|ENOENT|EACCES|EPERM|EROFS';
      const tries = all(none, {
        'one with a path': (p) => connectToPath(p, grounds.socket),
        'one with only a name': (p) => connectToPath(p, `\0${grounds.abstractName}`),
      });
      return whileSocketsStay(() => tryInside(grounds, stand, tries, { settings: { unixSockets: 'private' } }));
    },
  },
  {
    id: 'A21',
    title: 'with an open network, sockets of the machine that are no network stay closed',
    async story(grounds, stand) {
      const closed = all('EPERM', {
        'one with a path': (p) => connectToPath(p, grounds.socket),
        'one with only a name': (p) => connectToPath(p, `\0${grounds.abstractName}`),
        'the hypervisor': (p) => p.call('socket', [40, 1, 0]),
        'raw packets': (p) => p.call('socket', [2, 3, 1]),
        packets: (p) => p.call('socket', [17, 3, 0]),
      });
      const named = all('EPERM', {
        'only a name, with sockets of its own': (p) => connectToPath(p, `\0${grounds.abstractName}`),
      });
      return [
        ...(await tryInside(grounds, stand, closed, { settings: { network: true } })),
        ...(await whileSocketsStay(() =>
          tryInside(grounds, stand, named, { settings: { network: true, unixSockets: 'private' } }),
        )),
      ];
    },
  },
  {
    id: 'A25',
    title: 'what lies beside something hidden keeps no command from starting',
    async story({ home, sandbox }, { backend }) {
      fs.writeFileSync(Buffer.concat([Buffer.from(`${home}/`), Buffer.from([0xff])]), '');
      const opened = sandbox();
      const still = await runIn(opened, ['true']);
      fs.rmSync(Buffer.concat([Buffer.from(`${home}/`), Buffer.from([0xff])]));
      const ends: string[] = [];
      // Only Landlock has to name everything that may be read.
      const times = backend === 'landlock' ? 3 : 1;
      for (let time = 0; time < times; time++) ends.push(await whileFilesComeAndGo(home, opened));
      return [
        finding('a name that is no text', JSON.stringify(still.exit), ENDED_WELL),
        finding('files that come and go', ends.find((end) => end !== ENDED_WELL) ?? ENDED_WELL, ENDED_WELL),
      ];
    },
  },
  {
    id: 'A26',
    title: 'closing twice closes nothing of anybody else',
    async story({ sandbox, workspace }) {
      const opened = sandbox();
      await runIn(opened, ['true']);
      await opened.close();
      const first = fs.openSync(`${workspace}/mine`, 'r');
      const others = Array.from({ length: 8 }, () => fs.openSync(`${workspace}/mine`, 'r'));
      const second = await opened.closeAgain().then(
        () => 'well',
        (error: unknown) => String(error),
      );
      const open = [first, ...others].filter((each) => isOpen(each)).length;
      for (const each of [first, ...others]) if (isOpen(each)) fs.closeSync(each);
      return [finding('how the second time ended', second, 'well'), finding('files that are still open', open, 9)];
    },
  },
  {
    id: 'A29',
    title: 'a right for one file is for that file alone',
    async story(grounds, stand) {
      const { outside } = grounds;
      const tries = [
        ...all('ok', { 'the file': (p) => p.open(`${outside}/other`, OPEN.write) }),
        ...all(REFUSED, {
          'one beside it': (p) => p.open(`${outside}/file`, OPEN.write),
          'a new one': (p) => p.open(`${outside}/new`, OPEN.create, 0o644),
          'removing another': (p) => p.call('unlinkat', [AT_FDCWD, p.text(`${outside}/file`), 0]),
        }),
        ...all(by('EBUSY|EROFS', 'EACCES'), {
          'removing it': (p) => p.call('unlinkat', [AT_FDCWD, p.text(`${outside}/other`), 0]),
        }),
      ];
      const grants = [{ kind: 'write', path: `${outside}/other` as never } as const];
      return tryInside(grounds, stand, tries, { more: { grants } });
    },
  },
];

const ENDED_WELL = JSON.stringify({ kind: 'exited', code: 0 });

async function whileFilesComeAndGo(folder: string, sandbox: OpenSandbox): Promise<string> {
  const file = path.join(folder, 'comes-and-goes');
  fs.writeFileSync(file, '');
  const running = runIn(sandbox, ['true']);
  const timer = setInterval(() => {
    fs.rmSync(file, { force: true });
    fs.writeFileSync(file, '');
    fs.rmSync(file);
  }, 1);
  try {
    return JSON.stringify((await running).exit);
  } finally {
    clearInterval(timer);
    fs.rmSync(file, { force: true });
  }
}

function isOpen(descriptor: number): boolean {
  try {
    fs.fstatSync(descriptor);
    return true;
  } catch {
    return false;
  }
}

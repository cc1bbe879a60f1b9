/** What a command starts, how long it stays, and how much it may use. */
import fs from 'node:fs';

import { absolutePath } from '../../../src/core/paths.js';
import type { CommandSandbox } from '../../../src/command-sandbox.js';
import type { SandboxLimits } from '../../../src/core/sandbox-settings.js';
import type { Process } from '../../../src/core/workspace.js';
import { runIn } from './grounds.js';
import type { Grounds } from './grounds.js';
import { finding } from './row.js';
import type { Finding, Row, Stand } from './row.js';
import { processesWith, until } from './until.js';

const isDeep = process.env['TENON_DEEP'] !== undefined;
const MEGABYTE = 1024 * 1024;

export const PROCESS_ROWS: readonly Row[] = [
  {
    id: '44',
    title: 'what went into the background ends with its command',
    async story(grounds, { backend }) {
      const { token } = grounds;
      const isTied = backend !== 'landlock';
      return [
        await background(grounds, 'when the command exits', async (sandbox, script) => {
          await runIn(sandbox, script);
          // Behind the fence whoever has left the command is found when everything is closed.
          if (!isTied) await sandbox.close();
        }),
        await background(
          grounds,
          'when it has thrown away its variables',
          async (sandbox, script) => {
            await runIn(sandbox, script);
            await sandbox.close();
          },
          // Behind the fence nothing else tells whose it is; the guarantees say that it may outlive its command.
          { clear: 'env -i', want: isTied ? 'gone' : 'gone|still there' },
        ),
        await background(grounds, 'when it is ended', async (sandbox, script) => {
          const started = await start(sandbox, [...script.slice(0, 2), `${script[2]}; sleep 1000`]);
          await until(() => processesWith(token).length > 0);
          await started.end();
        }),
        await background(grounds, 'when its launcher is killed', async (sandbox, script) => {
          const started = await start(sandbox, [...script.slice(0, 2), `${script[2]}; sleep 1000`]);
          await until(() => processesWith(token).length > 0);
          if (started.pid !== undefined) process.kill(started.pid, 'SIGKILL');
          await started.exit;
          if (!isTied) await sandbox.close();
        }),
      ];
    },
  },
  {
    id: '45',
    title: 'a command that ignores signals, or has stopped itself, ends all the same',
    story: async (grounds) => [
      await stubborn(grounds, "trap '' TERM INT HUP QUIT; while :; do sleep 1000; done"),
      await stubborn(grounds, 'kill -STOP $$'),
      await tooLong(grounds),
    ],
  },
  {
    id: '46',
    title: 'a command uses no more than it may',
    story: async (grounds, stand) => [
      ...(await forkBomb(grounds, stand)),
      ...(await memoryHog(grounds, stand)),
      ...(await largeFile(grounds)),
      ...(await flood(grounds)),
      ...(isDeep ? await busyLoop(grounds) : []),
    ],
  },
];

function start(sandbox: CommandSandbox, argv: readonly string[]): Promise<Process> {
  return sandbox.start({ argv, cwd: sandbox.cwd, onOutput: () => {} });
}

/** Twice away from its parent, in a session of its own. */
async function background(
  grounds: Grounds,
  name: string,
  act: (sandbox: CommandSandbox, script: readonly string[]) => Promise<void>,
  { clear = '', want = 'gone' } = {},
): Promise<Finding> {
  const sandbox = grounds.sandbox();
  const daemon = `(${clear} setsid sh -c 'sleep 1000; : ${grounds.token}' >/dev/null 2>&1 </dev/null &)`;
  await act(sandbox, ['/bin/sh', '-c', daemon]);
  const isGone = await until(() => processesWith(grounds.token).length === 0, want === 'gone' ? 10_000 : 0);
  for (const pid of processesWith(grounds.token)) process.kill(pid, 'SIGKILL');
  return finding(name, isGone ? 'gone' : 'still there', want);
}

async function stubborn({ sandbox, token }: Grounds, script: string): Promise<Finding> {
  const started = await start(sandbox(), ['/bin/sh', '-c', `${script}; : ${token}`]);
  await until(() => processesWith(token).length > 0);
  await started.end();
  await started.exit;
  return finding(script, (await until(() => processesWith(token).length === 0)) ? 'gone' : 'still there', 'gone');
}

async function tooLong({ run }: Grounds): Promise<Finding> {
  const script = "trap '' TERM; while :; do sleep 1000; done";
  const { exit } = await run(['/bin/sh', '-c', script], { limits: { wallSeconds: 1 } });
  return finding('one that takes too long', exit.kind, 'signalled');
}

/** Only what a backend says that it holds. */
async function holds(grounds: Grounds, { backend }: Stand, limits: SandboxLimits): Promise<boolean> {
  const [probed] = await grounds.sandbox({ limits }).probe([backend]);
  const [name] = Object.keys(limits);
  return probed?.works === true && probed.guarantees.limits.some((each) => each === name);
}

async function forkBomb(grounds: Grounds, stand: Stand): Promise<readonly Finding[]> {
  const limits = { processes: 100 };
  if (!(await holds(grounds, stand, limits))) return [];
  const script = 'i=0; while [ $i -lt 300 ]; do sleep 1000 & i=$((i+1)); done; echo all of them';
  const sandbox = grounds.sandbox({ limits });
  const { exit, stdout } = await runIn(sandbox, ['/bin/sh', '-c', script]);
  await sandbox.close();
  return [
    finding('a bomb of processes', stdout.includes('all of them'), false),
    finding('how it ended', exit.kind === 'exited' && exit.code === 0 ? 'well' : 'badly', 'badly'),
  ];
}

async function memoryHog(grounds: Grounds, stand: Stand): Promise<readonly Finding[]> {
  const limits = { memoryBytes: 64 * MEGABYTE };
  if (!(await holds(grounds, stand, limits))) return [];
  const bytes = 150 * MEGABYTE;
  const script = `head -c ${bytes} /dev/zero | tail -c ${bytes} | wc -c`;
  const { stdout } = await grounds.run(['/bin/sh', '-c', script], { limits });
  return [finding('150 MB in 64 MB', stdout.includes(`${bytes}`) ? 'possible' : 'stopped', 'stopped')];
}

async function largeFile(grounds: Grounds): Promise<readonly Finding[]> {
  const limits = { fileBytes: MEGABYTE };
  const file = `${grounds.workspace}/large`;
  const script = `ulimit -f unlimited 2>/dev/null; exec head -c ${3 * MEGABYTE} /dev/zero >'${file}'`;
  const { exit } = await grounds.run(['/bin/sh', '-c', script], { limits });
  return [
    finding('a file over the limit', exit.kind === 'signalled' ? exit.signal : JSON.stringify(exit), 'SIGXFSZ'),
    finding('its size', fs.statSync(file).size, MEGABYTE),
  ];
}

async function flood(grounds: Grounds): Promise<readonly Finding[]> {
  const bytes = (isDeep ? 10_000 : 50) * MEGABYTE;
  const sandbox = grounds.sandbox();
  let seen = 0;
  const started = await sandbox.start({
    argv: ['head', '-c', `${bytes}`, '/dev/zero'],
    cwd: absolutePath(grounds.workspace),
    onOutput: (chunk) => void (seen += chunk.length),
  });
  const exit = await started.exit;
  return [
    finding('a flood of output', JSON.stringify({ exit, seen }), `{"exit":{"kind":"exited","code":0},"seen":${bytes}}`),
  ];
}

async function busyLoop(grounds: Grounds): Promise<readonly Finding[]> {
  const { exit } = await grounds.run(['/bin/sh', '-c', 'while :; do :; done'], { limits: { cpuSeconds: 1 } });
  return [finding('a loop', exit.kind === 'signalled' ? exit.signal : JSON.stringify(exit), 'SIGKILL|SIGXCPU')];
}

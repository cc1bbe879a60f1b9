/** The place of one row: a workspace with repositories in it, what lies outside, a home with secrets. */
import fs from 'node:fs';
import path from 'node:path';

import { createCommandSandbox } from '../../../src/command-sandbox.js';
import type { CommandSandbox, CommandSandboxOptions } from '../../../src/command-sandbox.js';
import { once } from '../../../src/core/once.js';
import type { SandboxSettings } from '../../../src/core/sandbox-settings.js';
import type { ProcessExit, SandboxReport } from '../../../src/core/workspace.js';
import { BINARIES } from '../../../src/sandbox/runner/binaries.js';
import { ARCHITECTURE } from './probe.js';
import type { Stand } from './row.js';

export type Grounds = {
  readonly workspace: string;
  /** Where nothing may be written; by permissions it could. */
  readonly outside: string;
  readonly home: string;
  /** A process of the same user that is none of the sandbox's business. */
  readonly victim: number;
  /** A server of the same user on the machine's loopback. */
  readonly port: number;
  /** Sockets of the same user: one with a path, one with only a name. */
  readonly socket: string;
  readonly abstractName: string;
  /** A program that belongs to root and is run as root by whoever starts it; only root can leave one. */
  readonly programOfRoot: string;
  /** What a chroot has in the place of the root folder. */
  readonly root: string;
  /** The runner, in the workspace. */
  readonly runner: string;
  /** A name that is found nowhere else. */
  readonly token: string;
  /** Another name each time. */
  readonly nextName: () => string;
  /** What the sandbox has told so far. */
  readonly reports: SandboxReport[];
  /** What a row wants to know later. */
  readonly notes: Map<string, string>;
  readonly sandbox: (settings?: SandboxSettings, more?: Partial<CommandSandboxOptions>) => OpenSandbox;
  /** Starts a command and waits for it; with settings of its own, in a sandbox of its own. */
  readonly run: (
    argv: readonly string[],
    settings?: SandboxSettings,
    more?: Partial<CommandSandboxOptions>,
  ) => Promise<Ran>;
  /** Closes what was used. */
  readonly close: () => Promise<void>;
};

/** Is closed once, however often it is asked to; and again only when that is meant. */
export type OpenSandbox = CommandSandbox & { readonly closeAgain: () => Promise<void> };

export type Ran = { readonly exit: ProcessExit; readonly stdout: Buffer; readonly stderr: string };

export type Surroundings = Pick<Grounds, 'victim' | 'port' | 'socket' | 'abstractName' | 'programOfRoot' | 'root'>;

export function makeGrounds(top: string, id: string, stand: Stand, around: Surroundings): Grounds {
  const base = path.join(top, `${stand.backend}-${id}`);
  const at = (name: string): string => path.join(base, name);
  for (const name of ['workspace/folder', 'outside/folder', 'tenon', 'home/.ssh', 'home/.aws'])
    fs.mkdirSync(at(name), { recursive: true });
  makeRepository(at('workspace'));
  makeRepository(at('workspace/sub/inner'));
  for (const name of ['workspace/mine', 'outside/file', 'outside/other', 'outside/meta', 'outside/folder/file'])
    fs.writeFileSync(at(name), 'as it was\n');
  for (const name of ['home/.ssh/id', 'home/.aws/credentials', 'home/.netrc']) fs.writeFileSync(at(name), 'SECRET\n');
  const runner = at('workspace/probe');
  fs.writeFileSync(runner, Buffer.from(BINARIES[ARCHITECTURE].base64, 'base64'), { mode: 0o755 });
  const reports: SandboxReport[] = [];

  const usual = { backend: stand.backend, excludeSlashTmp: true, excludeTmpdir: true, chrootRoot: around.root };
  const opened: (() => Promise<void>)[] = [];
  let own: OpenSandbox | undefined;
  let names = 0;
  const sandbox: Grounds['sandbox'] = (settings = {}, more = {}) => {
    const made = createCommandSandbox({
      cwd: at('workspace'),
      // What was found out about the machine is asked for only once.
      home: path.join(top, 'tenon'),
      environmentPolicy: { ...ENVIRONMENT, set: { HOME: at('home') } },
      sandbox: { ...usual, ...settings },
      onReport: (what) => void reports.push(what),
      ...more,
    });
    const close = once(() => made.close());
    opened.push(close);
    return { ...made, close, closeAgain: () => made.close() };
  };

  return {
    ...around,
    workspace: at('workspace'),
    outside: at('outside'),
    home: at('home'),
    runner,
    token: `token-${stand.backend}-${id}-${process.pid}`,
    reports,
    notes: new Map(),
    sandbox,
    nextName: () => `name-${(names += 1)}`,
    run(argv, settings, more) {
      const used = (settings ?? more) ? sandbox(settings, more) : (own ??= sandbox());
      return runIn(used, argv);
    },
    close: async () => void (await Promise.all(opened.map((close) => close()))),
  };
}

const ENVIRONMENT = { inherit: 'all', ignoreDefaultExcludes: false, exclude: [], includeOnly: [] } as const;

export async function runIn(sandbox: Pick<CommandSandbox, 'cwd' | 'start'>, argv: readonly string[]): Promise<Ran> {
  const printed = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  const started = await sandbox.start({
    argv,
    cwd: sandbox.cwd,
    onOutput: (chunk, stream) => void printed[stream === 'stderr' ? 'stderr' : 'stdout'].push(chunk),
  });
  const exit = await started.exit;
  return { exit, stdout: Buffer.concat(printed.stdout), stderr: Buffer.concat(printed.stderr).toString() };
}

/** As `git init` would leave it, as far as it matters. */
export function makeRepository(folder: string): void {
  for (const name of ['hooks', 'info', 'objects', 'refs/heads'])
    fs.mkdirSync(path.join(folder, '.git', name), { recursive: true });
  fs.writeFileSync(path.join(folder, '.git/config'), '[core]\n\tbare = false\n');
  fs.writeFileSync(path.join(folder, '.git/HEAD'), 'ref: refs/heads/main\n');
}

/** Every name, kind, mode and content below a folder, in one text. */
export function pictureOf(folder: string): string {
  const stats = fs.lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return `${folder} is absent`;
  const line = `${folder} ${stats.mode.toString(8)}`;
  if (stats.isSymbolicLink()) return `${line} -> ${fs.readlinkSync(folder)}`;
  if (stats.isFile()) return `${line} ${JSON.stringify(fs.readFileSync(folder, 'latin1'))}`;
  if (!stats.isDirectory()) return line;
  return [line, ...fs.readdirSync(folder).map((name) => pictureOf(`${folder}/${name}`))].join('\n');
}

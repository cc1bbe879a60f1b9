/**
 * One container for one policy, kept warm: commands are started in it by an agent, without the engine, which would take
 * fifty times as long. Commands of one container trust each other; the host trusts none of them.
 */
import { randomBytes } from 'node:crypto';
import path from 'node:path';

import type { AbsolutePath } from '../../core/paths.js';
import type { Process } from '../../core/workspace.js';
import type { ResolvedPolicy } from '../policy.js';
import { openAgentLink } from './agent-link.js';
import type { AgentLink } from './agent-link.js';
import { checkPlaces } from './check-places.js';
import { createCommands } from './commands.js';
import { containerArguments } from './container-arguments.js';
import { ensureImage } from './ensure-image.js';
import { readHostLayout } from './host-layout.js';
import { openTerminal } from './open-terminal.js';
import type { TerminalCommand, TerminalEntry } from './open-terminal.js';
import type { Engine } from './probe-engine.js';
import { runEngine } from './run-engine.js';
import type { EngineCall } from './run-engine.js';
import { makeRuntimeFolder, removeRuntimeFolder } from './runtime-folder.js';
import { createSlotBoard } from './slot-board.js';
import type { SlotBoard } from './slot-board.js';
import type { ContainerCommand } from './start-command.js';

export type ContainerOptions = {
  readonly policy: ResolvedPolicy;
  /** What a probe has found. */
  readonly engine: Engine;
  /** The engine's program: a path, or a name to be found on the PATH. Default: the engine's name. */
  readonly file?: string;
  /** Variables for the engine's program, none of which is seen inside. Default: those of this process. */
  readonly env?: EngineCall['env'];
  /** Whose container it is, for a person who finds it. */
  readonly owner: string;
  /** More that may be read inside. */
  readonly readable?: readonly AbsolutePath[];
  readonly extraArguments?: readonly string[];
};

export interface Container {
  /** Starts a program. One that cannot be started is an `Exit`, not an exception. */
  spawn(command: ContainerCommand): Promise<Process>;
  /** For a command with a terminal: what to run in one. */
  terminal(command: TerminalCommand): Promise<TerminalEntry>;
  /** Resolves with a reason once it has ended, also by itself. */
  readonly ended: Promise<string>;
  /** Ends everything in it. */
  close(): Promise<void>;
}

const END_MS = 5_000;
const REMOVE_MS = 30_000;

/** Throws a `ConfigError` when there can be none. */
export async function createContainer(options: ContainerOptions): Promise<Container> {
  const { policy, engine } = options;
  const call = { file: options.file ?? engine.engine, env: options.env ?? process.env };
  const name = `tenon-${randomBytes(8).toString('hex')}`;
  const layout = await readHostLayout();
  const image = await ensureImage(call, layout);
  const folder = await makeRuntimeFolder(policy);
  const board = createSlotBoard();
  try {
    await checkPlaces(policy);
    const args = containerArguments(policy, { ...options, name, image, layout, folder, user: currentUser() });
    const link = await openAgentLink({ call, args, folder, onStatus: (status) => board.hear(status) });
    void link.ended.then((reason) => board.lose(`the container has ended: ${reason}`));
    // Once more, now that everything is mounted.
    await checkPlaces(policy);
    return running({ call, name, folder, board, link });
  } catch (error) {
    await removeContainer(call, name);
    await removeRuntimeFolder(folder);
    throw error;
  }
}

type Parts = {
  readonly call: EngineCall;
  readonly name: string;
  readonly folder: AbsolutePath;
  readonly board: SlotBoard;
  readonly link: AgentLink;
};

function running(parts: Parts): Container {
  const { call, name, folder, board, link } = parts;
  const commands = createCommands({ folder, link, board });
  let closing: Promise<void> | undefined;

  async function end(): Promise<void> {
    link.hangUp();
    if (!(await within(END_MS, link.ended))) {
      await removeContainer(call, name);
      link.kill();
    }
    await link.ended;
    await commands.close();
    await removeRuntimeFolder(folder);
  }

  return {
    spawn: (command) => commands.spawn(command),
    async terminal(command) {
      const entry = board.open();
      const enter = [call.file, 'exec', '--interactive', '--tty', name];
      return openTerminal(command, { entry, link, enter, pipe: path.join(folder, `${entry.id}.terminal`) });
    },
    ended: link.ended,
    close: () => (closing ??= end()),
  };
}

/** Whatever has become of it; one that is not there any more is what is wanted. */
async function removeContainer(call: EngineCall, name: string): Promise<void> {
  await runEngine(call, ['rm', '--force', name], { ms: REMOVE_MS });
}

async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

function currentUser(): { readonly uid: number; readonly gid: number } {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

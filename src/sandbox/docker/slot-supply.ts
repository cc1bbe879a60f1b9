/** Slots that wait for their command. A few are started ahead of time: most of what a command costs is over by then. */
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';

import type { AgentLink } from './agent-link.js';
import { makeNamedPipes, openAtBothEnds, openForReading, readPipe, writePipe } from './named-pipes.js';
import type { PipeReader, PipeWriter } from './named-pipes.js';
import type { SlotBoard, SlotEntry } from './slot-board.js';

/** Pipes are the taker's to close. */
export type Slot = {
  readonly entry: SlotEntry;
  readonly leader: number;
  readonly input: PipeWriter;
  readonly output: PipeReader;
  readonly errors: PipeReader;
};

export interface SlotSupply {
  /** Throws when none can be started. */
  take(): Promise<Slot>;
  close(): Promise<void>;
}

type SupplyOptions = { readonly folder: string; readonly link: AgentLink; readonly board: SlotBoard };

const SPARES = 3;
const BATCH = 16;

/** A shell that has not started by then is not coming. */
const START_MS = 3_000;
const MOST_TRIES = SPARES;

export function createSlotSupply({ folder, link, board }: SupplyOptions): SlotSupply {
  let names: string[] = [];
  let making: Promise<void> = Promise.resolve();

  /** Pipes are made many at a time, because each time is a program. */
  function makeMore(id: number): Promise<void> {
    names = Array.from({ length: BATCH }, (_, index) => path.join(folder, `${id + index}`));
    making = makeNamedPipes(names.flatMap(pipeNames));
    return making;
  }

  async function start(): Promise<Slot> {
    const entry = board.open();
    const name = path.join(folder, `${entry.id}`);
    await (names.includes(name) ? making : makeMore(entry.id));
    const descriptors = openPipes(name);
    link.send(`start ${entry.id}`);
    const leader = await within(START_MS, entry.leader);
    for (const each of pipeNames(name)) fs.rmSync(each, { force: true });
    if (leader !== undefined) return { entry, leader, ...connect(descriptors) };
    for (const descriptor of Object.values(descriptors)) fs.closeSync(descriptor);
    const end = entry.isOver() ? await entry.ended : undefined;
    throw new Error(end?.kind === 'lost' ? end.reason : 'the container cannot start any more processes');
  }

  function startAhead(): Promise<Slot> {
    const slot = start();
    // Whoever takes it hears of it.
    slot.catch(() => {});
    return slot;
  }

  const spares = Array.from({ length: SPARES }, startAhead);

  /** A command may have killed the shells that wait, or that were about to: then the next ones are tried. */
  async function take(tries = MOST_TRIES): Promise<Slot> {
    spares.push(startAhead());
    const slot = await (spares.shift() ?? start()).catch((error: unknown) => {
      if (tries === 0) throw error;
    });
    // What has happened to its pipe is known after the next look at all of them.
    await setImmediate();
    if (slot && !slot.output.isClosed() && !slot.entry.isOver()) return slot;
    if (slot) closeSlot(slot);
    return take(slot ? tries : tries - 1);
  }

  return {
    take: () => take(),
    async close() {
      for (const slot of await Promise.allSettled(spares.splice(0))) {
        if (slot.status === 'fulfilled') closeSlot(slot.value);
      }
    },
  };
}

async function within<Value>(ms: number, work: Promise<Value>): Promise<Value | undefined> {
  const over = new AbortController();
  const late = setTimeout(ms, undefined, { signal: over.signal }).catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}

/** One that gets no command sees the end of its input, and ends. */
export function closeSlot({ input, output, errors }: Slot): void {
  for (const pipe of [input, output, errors]) pipe.close();
}

function pipeNames(name: string): readonly string[] {
  return [`${name}.in`, `${name}.out`, `${name}.err`];
}

type Descriptors = { readonly input: number; readonly output: number; readonly errors: number };

function openPipes(name: string): Descriptors {
  const input = openAtBothEnds(`${name}.in`);
  const output = openForReading(`${name}.out`);
  return { input, output, errors: openForReading(`${name}.err`) };
}

/** Not before the other side has opened them: a pipe without a writer has ended. */
function connect({ input, output, errors }: Descriptors): Pick<Slot, 'input' | 'output' | 'errors'> {
  return { input: writePipe(input), output: readPipe(output), errors: readPipe(errors) };
}

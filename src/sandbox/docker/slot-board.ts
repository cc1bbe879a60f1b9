/** What is known of each slot of an agent. Whatever the agent says, every promise given here is kept in the end. */
import type { AgentStatus } from './agent-status.js';

export type SlotEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: number }
  /** Its container went away under it. */
  | { readonly kind: 'lost'; readonly reason: string };

export interface SlotEntry {
  readonly id: number;
  /** The process, as numbered inside; undefined when it ended without getting that far. */
  readonly leader: Promise<number | undefined>;
  readonly ended: Promise<SlotEnd>;
  isOver(): boolean;
  /** Why the shell did not become the command. */
  refusal(): string | undefined;
  /** Resolves when a sweep that was asked for after this call is over. */
  nextSweep(): Promise<void>;
}

export interface SlotBoard {
  open(): SlotEntry;
  hear(status: AgentStatus): void;
  /** There will be no more news. */
  lose(reason: string): void;
}

type Listener = {
  setLeader(leader: number | undefined): void;
  setEnd(end: SlotEnd): void;
  refusal: string | undefined;
};

export function createSlotBoard(): SlotBoard {
  const slots = new Map<number, Listener>();
  const sweeps = new Map<number, (() => void)[]>();
  let lost: SlotEnd | undefined;
  let last = 0;

  function finish(id: number, end: SlotEnd): void {
    const slot = slots.get(id);
    slots.delete(id);
    slot?.setLeader(undefined);
    slot?.setEnd(end);
  }

  function sweepIsOver(id: number): void {
    const waiting = sweeps.get(id) ?? [];
    sweeps.delete(id);
    for (const resolve of waiting) resolve();
  }

  function refuse(id: number, reason: string): void {
    const slot = slots.get(id);
    if (slot) slot.refusal ??= reason;
  }

  function nextSweep(id: number): Promise<void> {
    if (lost) return Promise.resolve();
    return new Promise((resolve) => sweeps.set(id, [...(sweeps.get(id) ?? []), resolve]));
  }

  return {
    open() {
      last += 1;
      const id = last;
      const record: Listener = { setLeader: () => {}, setEnd: () => {}, refusal: undefined };
      const leader = new Promise<number | undefined>((resolve) => (record.setLeader = resolve));
      const ended = new Promise<SlotEnd>((resolve) => (record.setEnd = resolve));
      slots.set(id, record);
      if (lost) finish(id, lost);
      return {
        id,
        leader,
        ended,
        isOver: () => !slots.has(id),
        refusal: () => record.refusal,
        nextSweep: () => nextSweep(id),
      };
    },
    hear(status) {
      if (status.kind === 'up') return;
      if (status.kind === 'ready') slots.get(status.slot)?.setLeader(status.leader);
      else if (status.kind === 'refused') refuse(status.slot, status.reason);
      else if (status.kind === 'swept') sweepIsOver(status.slot);
      else finish(status.slot, status);
    },
    lose(reason) {
      lost ??= { kind: 'lost', reason };
      for (const id of slots.keys()) finish(id, lost);
      for (const id of sweeps.keys()) sweepIsOver(id);
    },
  };
}

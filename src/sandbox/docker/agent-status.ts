/** What the agent says, a line each. Commands run beside the agent and could write the same, so nothing is believed. */

export type AgentStatus =
  /** The agent itself. */
  | { readonly kind: 'up' }
  /** A slot waits for its command; `leader` is the process that will be it, as numbered inside. */
  | { readonly kind: 'ready'; readonly slot: number; readonly leader: number }
  | { readonly kind: 'refused'; readonly slot: number; readonly reason: string }
  | { readonly kind: 'exited'; readonly slot: number; readonly code: number }
  | { readonly kind: 'killed'; readonly slot: number; readonly signal: number }
  /** All that came from a command is gone. */
  | { readonly kind: 'swept'; readonly slot: number };

const LONGEST_LINE = 200;

/** Undefined for what means nothing. */
export function readStatus(line: string): AgentStatus | undefined {
  if (line === '0 up') return { kind: 'up' };
  const [, number = '', kind, detail] = /^(\d{1,9}) ([a-z]+)(?: (\w+))?$/.exec(line) ?? [];
  const slot = Number(number);
  if (kind === 'swept' && detail === undefined) return { kind, slot };
  if (detail === undefined) return undefined;
  if (kind === 'refused') return { kind, slot, reason: detail };
  return /^\d{1,9}$/.test(detail) ? numbered(kind, slot, Number(detail)) : undefined;
}

function numbered(kind: string | undefined, slot: number, value: number): AgentStatus | undefined {
  if (kind === 'ready' && value > 1) return { kind, slot, leader: value };
  if (kind === 'exited' && value <= 255) return { kind, slot, code: value };
  if (kind === 'killed' && value > 0 && value < 128) return { kind, slot, signal: value };
  return undefined;
}

/** Cuts a stream into lines. One that is too long for anything the agent says is dropped, not kept. */
export function createLineReader(onLine: (line: string) => void): (chunk: Uint8Array) => void {
  let rest = '';
  let dropping = false;
  return (chunk) => {
    const [first = '', ...others] = Buffer.from(chunk).toString('latin1').split('\n');
    const lines = [rest + first, ...others];
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!dropping && line.length <= LONGEST_LINE) onLine(line);
      dropping = false;
    }
    if (rest.length <= LONGEST_LINE) return;
    dropping = true;
    rest = '';
  };
}

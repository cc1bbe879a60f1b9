/**
 * Marks in a terminal's output. A mark is written to the program's side of the terminal and comes out on ours after
 * everything that was printed before it, which is the only proof that nothing is still on its way. What a mark looks
 * like is private to one terminal, so no program can print one by accident.
 */

export interface MarkReader {
  /** Takes marks out of the output, also when they come in pieces, and hands on the rest. */
  write(chunk: Buffer): void;
  /** Hands on what was held back because it might have become a mark. */
  end(): void;
}

export type MarkListener = {
  readonly onOutput: (chunk: Buffer) => void;
  readonly onMark: (number: number) => void;
};

const ESC = 0x1b;
/** What follows the prefix: a number and the end. */
const NUMBER = /^(\d{1,15})\u0007/;
const UNFINISHED_NUMBER = /^\d{0,15}$/;
const NUMBER_BYTES = 16;

/** An operating-system command nobody uses. Digits only, because a terminal may be set to change letters. */
export function markPrefix(secret: string): Buffer {
  return Buffer.from(`\u001b]7731;${secret};`);
}

export function markBytes(prefix: Buffer, number: number): Buffer {
  return Buffer.concat([prefix, Buffer.from(`${number}\u0007`)]);
}

export function createMarkReader(prefix: Buffer, { onOutput, onMark }: MarkListener): MarkReader {
  let held: Buffer = Buffer.alloc(0);
  const tell = (output: Buffer): void => {
    if (output.length > 0) onOutput(output);
  };
  return {
    write(chunk) {
      let rest = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      for (let next = nextMark(rest, prefix); next !== undefined; next = nextMark(rest, prefix)) {
        tell(rest.subarray(0, next.start));
        onMark(next.number);
        rest = rest.subarray(next.end);
      }
      const keep = beginningOfMark(rest, prefix);
      tell(rest.subarray(0, keep));
      held = rest.subarray(keep);
    },
    end() {
      tell(held);
      held = Buffer.alloc(0);
    },
  };
}

type Mark = { readonly start: number; readonly end: number; readonly number: number };

function nextMark(output: Buffer, prefix: Buffer): Mark | undefined {
  for (let start = output.indexOf(prefix); start !== -1; start = output.indexOf(prefix, start + 1)) {
    const [whole, digits] = NUMBER.exec(behind(output, start + prefix.length)) ?? [];
    if (whole !== undefined) return { start, end: start + prefix.length + whole.length, number: Number(digits) };
  }
  return undefined;
}

function behind(output: Buffer, start: number): string {
  return output.toString('latin1', start, start + NUMBER_BYTES);
}

/** Where something begins that may become a mark; the end of the output when nothing does. */
function beginningOfMark(output: Buffer, prefix: Buffer): number {
  const first = Math.max(0, output.length - prefix.length - NUMBER_BYTES);
  for (let start = output.indexOf(ESC, first); start !== -1; start = output.indexOf(ESC, start + 1)) {
    const begun = output.subarray(start, start + prefix.length);
    const fits = begun.equals(prefix.subarray(0, begun.length));
    if (fits && UNFINISHED_NUMBER.test(output.toString('latin1', start + begun.length))) return start;
  }
  return output.length;
}

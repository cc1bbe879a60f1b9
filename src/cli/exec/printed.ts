/** What a command has printed, within bounds: both ends are kept, and what was left out is marked. */

export type Printed = { readonly head: string; readonly tail: string; readonly dropped: number };

export const NOTHING_PRINTED: Printed = { head: '', tail: '', dropped: 0 };

/** Of each end, in UTF-16 units. */
export const KEPT = 512 * 1024;

/** `omitted` is how many bytes were lost right after the text. */
export function printMore({ head, tail, dropped }: Printed, text: string, omitted = 0): Printed {
  const more = omitted === 0 ? text : `${text}${leftOut(omitted, 'byte')}`;
  if (tail === '' && head.length + more.length <= KEPT) return { head: head + more, tail, dropped };
  const room = tail === '' ? wholeAt(more, Math.max(0, KEPT - head.length)) : 0;
  const longer = tail + more.slice(room);
  // Cut rarely: each cut copies all that is kept.
  const cut = longer.length > 2 * KEPT ? wholeAt(longer, longer.length - KEPT) : 0;
  return { head: head + more.slice(0, room), tail: longer.slice(cut), dropped: dropped + cut };
}

export function printedText({ head, tail, dropped }: Printed): string {
  const cut = tail.length > KEPT ? wholeAt(tail, tail.length - KEPT) : 0;
  const lost = dropped + cut;
  return lost === 0 ? head + tail : `${head}${leftOut(lost, 'character')}${tail.slice(cut)}`;
}

function leftOut(amount: number, unit: string): string {
  return `\n[… ${amount} ${unit}${amount === 1 ? '' : 's'} left out …]\n`;
}

/** A place that does not part the two halves of a character. */
function wholeAt(text: string, place: number): number {
  const unit = text.charCodeAt(place);
  return unit >= 0xdc00 && unit <= 0xdfff ? place + 1 : place;
}

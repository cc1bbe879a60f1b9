/** How long a server asks to be left alone, where it says so in a sentence: "try again in 1.5s", "retry after 2m30s". */

/** In milliseconds. */
export function askedDelay(words: string): number | undefined {
  const asked = /(?:try(?:ing)? again|retry) (?:in|after) (?=\d)/i.exec(words);
  if (asked === null) return undefined;
  const amounts = /(\d{1,9}(?:\.\d{1,9})?) ?([a-z]+) ?/iy;
  amounts.lastIndex = asked.index + asked[0].length;
  let total: number | undefined;
  for (let found = amounts.exec(words); found !== null; found = amounts.exec(words)) {
    const unit = unitOf(found[2] ?? '');
    if (unit === undefined) break;
    total = (total ?? 0) + Number(found[1]) * unit;
  }
  return total === undefined ? undefined : Math.ceil(total);
}

function unitOf(word: string): number | undefined {
  const lower = word.toLowerCase();
  if (/^(ms|millis?|milliseconds?)$/.test(lower)) return 1;
  if (/^(s|secs?|seconds?)$/.test(lower)) return 1000;
  if (/^(m|mins?|minutes?)$/.test(lower)) return 60_000;
  return /^(h|hrs?|hours?)$/.test(lower) ? 3_600_000 : undefined;
}

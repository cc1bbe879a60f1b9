/** What a web page calls itself, in one short line. Pages are for browsers; their title says what there is to say. */
const LONGEST = 80;

/** Who has not named itself by then has no name. */
const LONGEST_HEAD = 65_536;

export function pageTitle(html: string): string | undefined {
  const head = html.slice(0, LONGEST_HEAD);
  const start = head.search(/<title[\s>]/i);
  if (start === -1) return undefined;
  const open = head.indexOf('>', start);
  const end = head.indexOf('<', open);
  if (open === -1 || end === -1) return undefined;
  const title = head
    .slice(open + 1, end)
    .replace(/\s+/g, ' ')
    .trim();
  if (title === '') return undefined;
  return title.length > LONGEST ? `${title.slice(0, LONGEST)}…` : title;
}

/** What a web page calls itself, in one short line. */
const LONGEST = 80;

export function pageTitle(html: string): string | undefined {
  const start = html.search(/<title[\s>]/i);
  if (start === -1) return undefined;
  const open = html.indexOf('>', start);
  const end = html.indexOf('<', open);
  if (open === -1 || end === -1) return undefined;
  const title = html
    .slice(open + 1, end)
    .replace(/\s+/g, ' ')
    .trim();
  if (title === '') return undefined;
  return title.length > LONGEST ? `${title.slice(0, LONGEST)}…` : title;
}

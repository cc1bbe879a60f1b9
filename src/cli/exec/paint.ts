/** Colours for our own words; text of others is never painted. */

export type Paint = Readonly<Record<keyof typeof STYLES, (word: string) => string>>;

export type ColorChoice = 'auto' | 'always' | 'never';

export function createPaint(choice: ColorChoice, stream: { readonly isTTY?: boolean }): Paint {
  const isOn = choice === 'always' || (choice === 'auto' && stream.isTTY === true && isWelcome(process.env));
  const paint = (style: string) => (word: string) => (isOn ? `\u001b[${style}m${word}\u001b[0m` : word);
  return { title: paint(STYLES.title), good: paint(STYLES.good), bad: paint(STYLES.bad), faint: paint(STYLES.faint) };
}

const STYLES = { title: '1', good: '32', bad: '31', faint: '2' } as const;

function isWelcome({ NO_COLOR: refused, TERM: terminal }: NodeJS.ProcessEnv): boolean {
  return (refused === undefined || refused === '') && terminal !== 'dumb';
}

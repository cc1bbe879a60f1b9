/** One line from the person at the terminal. */

export function isAtTerminal(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** Ctrl-C and the end of input are an empty answer. */
export async function askLine(question: string): Promise<string> {
  const { createInterface } = await import('node:readline');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await new Promise<string>((resolve) => {
      terminal.once('close', () => resolve(''));
      terminal.question(question, resolve);
    });
  } finally {
    terminal.close();
  }
}

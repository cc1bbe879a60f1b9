/** Patches come wrapped: in a code fence, or in the here-document of a shell command. */

const HEREDOC = /^(?:\w+[ \t]+)?<<-?[ \t]*(?:(\w+)|'(\w+)'|"(\w+)")$/;
const FENCE = /^(`{3,}|~{3,})[\w.+-]*$/;

/** The lines inside, or undefined when these are not wrapped. */
export function unwrapped(lines: readonly string[]): readonly string[] | undefined {
  const [first, last] = [lines[0]?.trim() ?? '', lines.at(-1)?.trim() ?? ''];
  if (lines.length < 3) return undefined;
  const fence = FENCE.exec(first)?.[1];
  if (fence !== undefined) return last === fence ? lines.slice(1, -1) : undefined;
  const heredoc = HEREDOC.exec(first);
  const tag = heredoc?.[1] ?? heredoc?.[2] ?? heredoc?.[3];
  return tag !== undefined && last.endsWith(tag) ? lines.slice(1, -1) : undefined;
}

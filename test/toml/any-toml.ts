/** TOML files as people write them: every way to spell a table, with comments and odd texts in between. */
import fc from 'fast-check';

const NAMES = ['a', 'b', 'c-d', 'e_1', '"x.y"', "'q # z'", '"t\\u0041b"', '"\\""'];

const VALUES = [
  '1',
  'true',
  '-0.5',
  '1979-05-27 07:32:00',
  '"plain # no comment"',
  '"quote \\" ] }"',
  "'literal \\'",
  '"""\nlines # of\n[text]\n"quoted"""""',
  "'''\n[[no]]\nk = 1\n'''",
  '[]',
  '[1, [2, "]"], { k = "}" }]',
  '[ # why\n  "x", # because\n  "y",\n]',
  '{}',
];

type Node =
  | { readonly kind: 'value'; readonly text: string }
  | { readonly kind: 'table'; readonly style: Style; readonly children: readonly (readonly [string, Node])[] };
type Style = 'header' | 'inline' | 'dotted';

const { table } = fc.letrec<{ node: Node; table: Node }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    fc.record({ kind: fc.constant('value' as const), text: fc.constantFrom(...VALUES) }),
    tie('table'),
  ),
  table: fc.record({
    kind: fc.constant('table' as const),
    style: fc.constantFrom<Style>('header', 'inline', 'dotted'),
    children: fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES), tie('node')), {
      maxLength: 4,
      selector: ([name]) => name,
    }),
  }),
}));

/** A valid file. */
export const anyToml: fc.Arbitrary<string> = fc
  .tuple(table, fc.constantFrom('\n', '\r\n'), fc.constantFrom('', '# about\n', '\n'), fc.boolean())
  .map(([root, newline, before, endsWithNewline]) => {
    const text = before + section([], root).join('\n') + (endsWithNewline ? '\n' : '');
    return text.replaceAll(/(?<!\r)\n/g, newline);
  });

function section(path: readonly string[], node: Node): readonly string[] {
  if (node.kind === 'value') return [];
  const own = node.children.flatMap(([name, child]) => (isSection(child) ? [] : lines(name, child)));
  const below = node.children.flatMap(([name, child]) =>
    isSection(child)
      ? ['', '# a table', `[${[...path, name].join('.')}] # so`, ...section([...path, name], child)]
      : [],
  );
  return [...own, ...below];
}

function isSection(node: Node): boolean {
  return node.kind === 'table' && node.style === 'header';
}

function lines(key: string, node: Node): readonly string[] {
  if (node.kind === 'value') return [`${key} = ${node.text} # and`];
  if (node.style === 'inline' || node.children.length === 0) return [`  ${key} = ${inline(node)}`];
  return node.children.flatMap(([name, child]) => lines(`${key}.${name}`, child));
}

function inline(node: Node): string {
  if (node.kind === 'value') return node.text;
  return `{ ${node.children.map(([name, child]) => `${name} = ${inline(child)}`).join(', ')} }`;
}

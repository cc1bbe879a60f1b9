import { test } from 'vitest';
import { readFileSync, writeFileSync } from 'node:fs';
import { readArgv } from '../../src/shell/read-command.js';
import { isExact } from '../../src/shell/reading.js';
import type { Reading, Segment, Word } from '../../src/shell/reading.js';
function render({ segments, files, unclear }: Reading): readonly string[] {
  return [
    ...segments.flatMap(renderSegment),
    ...files.map(({ access, target, paths }) => `${access === 'read' ? '<' : '>'} ${paths?.join(' ') ?? `? ${renderWord(target)}`}`),
    ...unclear.map((why) => `! ${why}`),
  ];
}
function renderSegment({ words, variables, folders, runs }: Segment): readonly string[] {
  const set = variables.length > 0 ? ` (${variables.join(' ')})` : '';
  const where = folders?.join(' ') === '/w' ? '' : ` @ ${folders?.join(' ') ?? '?'}`;
  const inside = runs ? render(runs.reading).map((line) => `  ${line}`) : [];
  return [`${words.map(renderWord).join(' ')}${set}${where}${runs ? (runs.plainly ? ' ->' : ' ~>') : ''}`, ...inside];
}
function renderWord(word: Word): string {
  if (isExact(word)) return /^[^\s"'<>]+$/.test(word) ? word : JSON.stringify(word);
  return `<${word.begins}${word.splits ? '…' : ''}>`;
}
test('x', () => {
  const cases = JSON.parse(readFileSync('/tmp/cases.json', 'utf8'));
  const out = cases.map(([kind, name, given]: [string, string, string | string[]]) => {
    const argv = kind === 'argv' ? given as string[] : kind === 'sh' ? ['sh', '-c', given as string] : kind === 'zsh' ? ['zsh','-c', given as string] : ['bash', '-c', given as string];
    const s = readArgv(argv, { cwd: '/w', home: '/h' });
    const lines = kind === 'argv' ? renderSegment(s) : s.runs ? render(s.runs.reading) : ['(none)'];
    return [kind, name, given, lines];
  });
  writeFileSync('/tmp/rendered.json', JSON.stringify(out));
});

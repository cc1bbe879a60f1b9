/** A session as a Markdown document. What others wrote is quoted or fenced, but for the model's own messages. */
import type { SessionSummary } from '../../index.js';
import { answerIn, endIn, factsOf } from './session-facts.js';
import type { Told } from './story.js';
import type { Call } from './story-calls.js';
import { localTime } from './times.js';

export function sessionMarkdown(summary: SessionSummary, story: readonly Told[]): string {
  const title = (summary.name ?? summary.preview) || summary.id;
  const blocks = [
    `# ${oneLine(title)}`,
    factsOf(summary)
      .map(([name, value]) => `- ${name}: ${inlineCode(value)}`)
      .join('\n'),
    ...story.flatMap(blocksOf),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function blocksOf(told: Told): readonly string[] {
  switch (told.kind) {
    case 'turn':
      return [`## Turn ${told.number} (${oneLine(localTime(told.at))})`];
    case 'user':
      return ['**You**', quoted(told.text)];
    case 'message':
      return ['**Tenon**', told.text.trim()];
    case 'reasoning':
      return ['*Thinking*', quoted(told.text)];
    case 'call':
      return callBlocks(told);
    case 'plan':
      return ['**Plan**', told.plan.map(({ step, status }) => `- ${oneLine(`${status}: ${step}`)}`).join('\n')];
    case 'note':
      return [`*${oneLine(told.text)}*`];
  }
}

function callBlocks(call: Call): readonly string[] {
  const questions = call.questions.map(
    ({ title, decision = 'no answer yet' }) => `- ${oneLine(`${title}: ${decision}`)}`,
  );
  const answer = answerIn(call);
  return [
    `**Call** ${inlineCode(call.name)}`,
    fenced(call.input),
    ...(questions.length === 0 ? [] : ['Asked:', questions.join('\n')]),
    `${oneLine(endIn(call))}${answer === '' ? '' : ':'}`,
    ...(answer === '' ? [] : [fenced(answer)]),
  ];
}

function quoted(text: string): string {
  return text
    .trim()
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

/** Between fences that are longer than any inside. */
function fenced(text: string): string {
  const ticks = (text.match(/`{3,}/g) ?? []).reduce((longest, each) => Math.max(longest, each.length), 2);
  const fence = '`'.repeat(ticks + 1);
  return `${fence}\n${text.replace(/\n$/, '')}\n${fence}`;
}

function inlineCode(text: string): string {
  const line = oneLine(text);
  return line.includes('`') ? line : `\`${line}\``;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

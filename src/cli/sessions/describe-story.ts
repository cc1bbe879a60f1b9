/**
 * A session as a person reads it at a terminal. Whatever was said in it is indented below a word of ours, so that it cannot
 * pass for one, and nothing in it reaches the terminal as an escape sequence.
 */
import type { SessionSummary } from '../../index.js';
import { bothEndsOf } from '../exec/excerpt.js';
import type { Paint } from '../exec/paint.js';
import { visible } from '../visible.js';
import { answerIn, endIn, factsOf } from './session-facts.js';
import type { Told } from './story.js';
import type { Call } from './story-calls.js';
import { localTime } from './times.js';

export function describeSession(summary: SessionSummary, story: readonly Told[], paint: Paint): readonly string[] {
  return [
    ...factsOf(summary).map(([name, value]) => `${paint.title(`${name}:`)} ${inLine(value)}`),
    ...story.flatMap((each) => describe(each, paint)),
  ];
}

function describe(told: Told, paint: Paint): readonly string[] {
  switch (told.kind) {
    case 'turn':
      return ['', paint.title(`turn ${told.number}`) + paint.faint(`, ${inLine(localTime(told.at))}`)];
    case 'user':
      return [paint.title('you'), ...indented(told.text)];
    case 'message':
      return [paint.title('tenon'), ...indented(told.text)];
    case 'reasoning':
      return [paint.faint('thinking'), ...indented(told.text)];
    case 'call':
      return describeCall(told, paint);
    case 'plan':
      return [paint.title('plan'), ...told.plan.map(({ step, status }) => `  ${inLine(`${status}: ${step}`)}`)];
    case 'note':
      return [`${paint.faint('note')}: ${inLine(told.text)}`];
  }
}

function describeCall(call: Call, paint: Paint): readonly string[] {
  const word = call.end?.answer.success === true ? paint.good : paint.bad;
  return [
    `${paint.title('called')} ${inLine(`${call.name} ${call.input}`)}`,
    ...call.questions.map(({ title, decision = 'no answer yet' }) => `  asked: ${inLine(`${title}: ${decision}`)}`),
    `  ${word(inLine(endIn(call)))}`,
    ...bothEndsOf(answerIn(call)).map(below),
  ];
}

function indented(text: string): readonly string[] {
  return text.trim().split('\n').map(below);
}

function below(line: string): string {
  return `  ${visible(line)}`;
}

const LONGEST_LINE = 2_000;

function inLine(text: string): string {
  const short = text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text;
  return visible(short.trim().replaceAll('\n', '\n    '));
}

/** The narrowest rules that would have answered a question for good. */
import type { Effect, Grant, ProposedRule } from '../core/effects.js';
import type { JudgeContext, Part } from './context.js';

type Judged = { readonly effect: Effect | Grant; readonly parts: readonly Part[] };

/** Those that answer all of the questions; undefined when one of them cannot be answered by any. */
export function proposalFor(
  questions: readonly { readonly proposal?: readonly ProposedRule[] | undefined }[],
  { approvalPolicy }: JudgeContext,
): readonly ProposedRule[] | undefined {
  if (approvalPolicy === 'always') return undefined;
  const rules = all(questions.map(({ proposal }) => proposal));
  const distinct = new Map(rules?.map((rule) => [JSON.stringify(rule), rule]));
  return distinct.size === 0 ? undefined : [...distinct.values()];
}

/** The rules that would cover all of it. */
export function rulesCovering(judged: readonly Judged[]): readonly ProposedRule[] | undefined {
  return all(judged.map((each) => rulesForParts(each) ?? wholeCommand(each.effect)));
}

function rulesForParts({ effect, parts }: Judged): readonly ProposedRule[] | undefined {
  const open = parts.filter(({ decision }) => decision !== 'allow' && decision !== 'safe');
  if (effect.kind !== 'exec') return all(open.map(({ proposals }) => proposals));
  // Somebody has to allow a command: a file that is allowed does not, and being safe is not enough without a sandbox.
  const commands = parts.filter(({ kind }) => kind === 'command');
  const unallowed = commands.every(({ decision }) => decision === 'safe') ? commands : [];
  const lists = [...open, ...unallowed].map(({ proposals }) => proposals);
  return commands.length === 0 ? undefined : all(lists);
}

const LONGEST_RULE = 2_000;

/** A script that cannot be allowed command by command can still be allowed as it stands. */
export function wholeCommand(effect: Effect | Grant): readonly ProposedRule[] | undefined {
  if (effect.kind !== 'exec' || effect.argv.join(' ').length > LONGEST_RULE) return undefined;
  return [{ kind: 'command', words: effect.argv, cwd: effect.cwd }];
}

/** All of the lists as one, if there are all. */
function all(lists: readonly (readonly ProposedRule[] | undefined)[]): readonly ProposedRule[] | undefined {
  const known = lists.filter((list) => list !== undefined);
  return known.length === lists.length ? known.flat() : undefined;
}

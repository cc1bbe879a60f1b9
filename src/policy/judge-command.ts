/** What is said to a command and to everything that it runs in turn. */
import { absolutePath, isInside } from '../core/paths.js';
import { commandLine } from '../shell/command-line.js';
import { isExact } from '../shell/reading.js';
import type { Reading, Segment, Word } from '../shell/reading.js';
import { RUNS_INPUT, TOO_DEEP } from '../shell/unclear.js';
import { hostsOf } from '../programs/command-files.js';
import type { JudgeContext, Part } from './context.js';
import { dangerOf } from '../programs/dangerous-commands.js';
import { withoutGlobalOptions } from '../programs/global-options.js';
import { judgeHost } from './judge-host.js';
import { judgeOperands, judgeRedirection } from './judge-path.js';
import { anyProgramName } from '../programs/program-name.js';
import { decisionOf, named, reasonOf } from './rule-words.js';
import type { CommandRule } from '../rules/rules.js';
import { isSafeCommand } from '../programs/safe-commands.js';

export function judgeCommand(segment: Segment, context: JudgeContext): readonly Part[] {
  const parts = judgeSegment(segment, context, false);
  return runsDownload(segment) ? [...parts, danger('unclear', commandLine(segment.words), DOWNLOADED)] : parts;
}

/** `spoiled`: variables are set around it that may turn any program into another. */
function judgeSegment(segment: Segment, context: JudgeContext, spoiledOutside: boolean): readonly Part[] {
  const { words, runs, variables } = segment;
  const spoiled = spoiledOutside || !variables.every(isHarmless);
  const inside = runs ? judgeReading(runs.reading, context, spoiled) : [];
  const touched = [...judgeOperands(segment, context), ...judgeHosts(words, context)];
  const said = rulesOn(segment, context);
  const own = { kind: isExact(words[0]) ? 'command' : 'unclear', subject: commandLine(words) } as const;
  if (said.restricting) return [{ ...own, ...said.restricting }, ...inside.filter(restricts), ...touched];
  const { allowing } = said;
  if (allowing && !spoiled) {
    // Whoever allowed exactly this line has seen what is in it.
    const left = inside.filter((part) => restricts(part) && (part.rule?.file !== undefined || !allowing.exact));
    return [{ ...own, ...ruled(allowing), unconfined: allowing.unconfined }, ...left, ...touched];
  }
  const danger = dangerOf(words);
  if (danger !== undefined) return [dangerous(segment, danger), ...inside.filter(restricts), ...touched];
  if (runs?.plainly) return [...inside, ...touched];
  if (runs)
    return [
      { ...own, decision: 'neutral' },
      ...inside.filter((part) => restricts(part) || part.kind === 'unclear'),
      ...touched,
    ];
  if (!spoiled && isSafeCommand(words)) return [{ ...own, decision: 'safe', rule: { name: 'known-safe' } }, ...touched];
  return [{ ...own, decision: 'neutral', ...(!spoiled && proposalFor(segment)) }, ...touched];
}

/** A script, or text as a shell would read it. */
export function judgeReading(reading: Reading, context: JudgeContext, spoiled: boolean): readonly Part[] {
  return [
    ...reading.segments.flatMap((segment) => judgeSegment(segment, context, spoiled)),
    ...reading.files.flatMap((file) => judgeRedirection(file, context)),
    ...reading.unclear.map((why) => judgeUnclear(why, context)),
  ];
}

function judgeUnclear(why: string, { rules }: JudgeContext): Part {
  if (why === TOO_DEEP) return danger('unclear', why, why);
  if (!rules.restrictsCommands) return { kind: 'unclear', subject: why, decision: 'neutral' };
  const reason = `${why}, so it cannot be told whether a rule about commands holds`;
  return { kind: 'unclear', subject: why, decision: 'ask', prompted: true, reason, rule: { name: 'unclear-command' } };
}

type Said = Pick<Part, 'decision' | 'reason' | 'rule' | 'prompted'>;

function rulesOn(
  { words, folders }: Segment,
  { rules }: JudgeContext,
): { readonly restricting?: Said; readonly allowing?: CommandRule } {
  const matches = rules.commands(words, folders);
  const bare = withoutGlobalOptions(words);
  const all = bare === words ? matches : [...matches, ...rules.commands(bare, folders)];
  const restricting = all.filter(({ rule }) => rule.decision !== 'allow');
  const sure = restricting.filter(({ certainty }) => certainty === 'yes').map(({ rule }) => rule);
  const strict = sure.find(({ decision }) => decision === 'forbidden') ?? sure[0];
  const [perhaps] = restricting;
  if (strict && strict.decision === 'forbidden') return { restricting: ruled(strict) };
  if (strict) return { restricting: { ...ruled(strict), prompted: true } };
  if (perhaps) {
    const reason = `it cannot be told whether a rule holds: ${reasonOf(perhaps.rule)}`;
    return { restricting: { decision: 'ask', prompted: true, reason, rule: named(perhaps.rule) } };
  }
  const allowing = matches.find(({ certainty }) => certainty === 'yes')?.rule;
  return allowing ? { allowing } : {};
}

function ruled(rule: CommandRule): Said {
  return { decision: decisionOf(rule), reason: reasonOf(rule), rule: named(rule) };
}

function dangerous(segment: Segment, reason: string): Part {
  return { ...danger('command', commandLine(segment.words), reason), ...proposalFor(segment) };
}

function danger(kind: 'command' | 'unclear', subject: string, reason: string): Part {
  return { kind, subject, decision: 'ask', reason, rule: { name: 'dangerous-command' } };
}

/** The rule that allows exactly this command where it stands. */
function proposalFor({ words, folders }: Segment): Pick<Part, 'proposal'> {
  const [cwd, ...others] = folders?.map(absolutePath) ?? [];
  if (cwd === undefined || !words.every(isExact) || !others.every((folder) => isInside(cwd, folder))) return {};
  return { proposal: { kind: 'command', words, cwd } };
}

/** Only rules that restrict count here: a host that is allowed does not allow a program. */
function judgeHosts(words: readonly Word[], context: JudgeContext): readonly Part[] {
  if (!context.rules.restrictsHosts) return [];
  return hostsOf(words)
    .map((host) => judgeHost(host, context))
    .filter(restricts);
}

function restricts({ decision }: Part): boolean {
  return decision === 'deny' || decision === 'ask';
}

/** Variables that change how a program speaks, not what it does. */
const HARMLESS_VARIABLES =
  /^(?:LC_[A-Z]+|LANG|LANGUAGE|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|COLUMNS|LINES|CI|TERM|DEBIAN_FRONTEND|NODE_ENV|RUST_BACKTRACE)$/;

function isHarmless(name: string): boolean {
  return HARMLESS_VARIABLES.test(name);
}

const DOWNLOADED = 'it runs what it has just downloaded';
const DOWNLOADERS: ReadonlySet<string | undefined> = new Set(['curl', 'wget', 'fetch', 'aria2c', 'http', 'https']);

function runsDownload(segment: Segment): boolean {
  const all = allWithin(segment);
  const downloads = all.some(({ words }) => words[0] !== undefined && DOWNLOADERS.has(anyProgramName(words[0])));
  return downloads && all.some(({ runs }) => runs?.reading.unclear.includes(RUNS_INPUT));
}

function allWithin(segment: Segment): readonly Segment[] {
  return [segment, ...(segment.runs?.reading.segments.flatMap(allWithin) ?? [])];
}

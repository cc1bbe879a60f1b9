/** What is said to a command and to everything that it runs in turn. */
import { absolutePath, isInside } from '../core/paths.js';
import { hostsOf, speaksToNetwork } from '../programs/command-files.js';
import { dangerOf } from '../programs/dangerous-commands.js';
import { withoutGlobalOptions } from '../programs/global-options.js';
import { anyProgramName } from '../programs/program-name.js';
import { isSafeCommand } from '../programs/safe-commands.js';
import type { CommandRule } from '../rules/rules.js';
import { commandLine } from '../shell/command-line.js';
import { everySegment, isExact } from '../shell/reading.js';
import type { Reading, Segment, Word } from '../shell/reading.js';
import { CALLS_ITSELF, GIVES_TO_SHELL, KNOWN_LATER, RUNS_INPUT, TOO_DEEP } from '../shell/unclear.js';
import { holdsHosts, holdsPaths } from './context.js';
import type { JudgeContext, Part } from './context.js';
import { judgeHost, unknownHost } from './judge-host.js';
import { judgeOperands, judgeRedirection } from './judge-path.js';
import { perhapsSaidBy, restricts, saidBy, strictest } from './rule-words.js';
import type { Said } from './rule-words.js';

export function judgeCommand(segment: Segment, context: JudgeContext): readonly Part[] {
  const parts = judgeSegment(segment, context, false);
  // Whoever allowed exactly this line has seen that it does.
  const isSettled = parts.some(({ decision }) => decision === 'allow') && rulesOn(segment, context).allowing?.exact;
  if (isSettled || !runsDownload(segment)) return parts;
  return [...parts, danger('unclear', commandLine(segment.words), DOWNLOADED)];
}

/** `changed`: something around it, such as a variable or `sudo`, may make another command of it. */
function judgeSegment(segment: Segment, context: JudgeContext, changedOutside: boolean): readonly Part[] {
  const { words, runs, variables } = segment;
  const changed = changedOutside || segment.shadowed === true || !variables.every(isHarmless);
  const inside = runs ? judgeReading(runs.reading, context, changed || !runs.plainly) : [];
  const touched = [...judgeOperands(segment, context), ...judgeHosts(segment, context)];
  const said = variables.some(mayRename) ? perhapsRenamed(segment, context) : rulesOn(segment, context);
  const own = { kind: isExact(words[0]) ? 'command' : 'unclear', subject: commandLine(words) } as const;
  if (said.restricting) return [{ ...own, ...said.restricting }, ...inside.filter(isRestricted), ...touched];
  const { allowing } = said;
  if (allowing && !changed) {
    const left = inside.filter((part) => isRestricted(part) && (part.rule?.file !== undefined || !allowing.exact));
    return [{ ...own, ...saidBy(allowing), unconfined: allowing.unconfined }, ...left, ...touched];
  }
  const proposals = changed ? undefined : proposalFor(segment);
  const settling = proposals && { proposals };
  const why = dangerOf(words);
  if (why !== undefined) {
    return [{ ...danger(own.kind, own.subject, why), ...settling }, ...inside.filter(isRestricted), ...touched];
  }
  if (runs?.plainly) return [...inside, ...touched];
  if (runs) return [{ ...own, decision: 'neutral' }, ...inside.filter(isNotable), ...touched];
  const decision = !changed && isSafeCommand(words) && isAtHome(segment, context) ? 'safe' : 'neutral';
  return [{ ...own, decision, ...settling }, ...touched];
}

/** A script, or text as a shell would read it. */
export function judgeReading(reading: Reading, context: JudgeContext, changed: boolean): readonly Part[] {
  return [
    ...reading.segments.flatMap((segment) => judgeSegment(segment, context, changed)),
    ...reading.files.flatMap((file) => judgeRedirection(file, context)),
    ...reading.unclear.map((why) => judgeUnclear(why, context)),
  ];
}

function judgeUnclear(why: string, context: JudgeContext): Part {
  const { rules } = context;
  if (why === TOO_DEEP || why === CALLS_ITSELF) return danger('unclear', why, why);
  const mayMatter =
    rules.restrictsCommands ||
    (rules.restrictsPaths && !holdsPaths(context)) ||
    (rules.restrictsHosts && !holdsHosts(context));
  if (!mayMatter) return { kind: 'unclear', subject: why, decision: 'neutral' };
  const reason = `${why}, so it cannot be told whether a rule holds`;
  return { kind: 'unclear', subject: why, decision: 'ask', prompted: true, reason, rule: { name: 'unclear-command' } };
}

/** git obeys the settings of whatever repository it stands in, which may run programs; the project's own is known. */
function isAtHome({ words, folders }: Segment, { writableRoots }: JudgeContext): boolean {
  if (anyProgramName(words[0]) !== 'git') return true;
  return folders?.every((folder) => writableRoots.some((root) => root === folder)) ?? false;
}

/** Settings that make a program run others, or other sub-commands, than its words say. */
function mayRename(variable: string): boolean {
  return /^(?:GIT_(?!AUTHOR_|COMMITTER_|PAGER$)|BASH_ENV$|ENV$|LD_|PATH$)/.test(variable);
}

function perhapsRenamed(segment: Segment, context: JudgeContext): Rulings {
  const said = rulesOn(segment, context);
  if (said.restricting || !context.rules.restrictsCommands) return said;
  const reason = 'variables around it may make it run something else, so it cannot be told whether a rule holds';
  return { restricting: { decision: 'ask', prompted: true, reason, rule: { name: 'unclear-command' } } };
}

type Rulings = { readonly restricting?: Said; readonly allowing?: CommandRule };

function rulesOn({ words, folders }: Segment, { rules, realPath }: JudgeContext): Rulings {
  // A link must not carry what is allowed in one folder to another.
  const isAllowance = (rule: CommandRule): boolean => {
    const { cwd } = rule;
    if (restricts(rule)) return false;
    return cwd === undefined || (folders?.every((folder) => isInside(realPath(cwd), realPath(folder))) ?? false);
  };
  const matches = rules.commands(words, folders);
  const allowing = matches.find(({ rule, certainty }) => certainty === 'yes' && isAllowance(rule))?.rule;
  if (!rules.restrictsCommands) return allowing ? { allowing } : {};
  const bare = withoutGlobalOptions(words);
  const all = [...matches, ...(bare === words ? [] : rules.commands(bare, folders))];
  const sure = strictest(
    all
      .filter(({ certainty }) => certainty === 'yes')
      .map(({ rule }) => rule)
      .filter(restricts),
  );
  if (sure) return { restricting: saidBy(sure) };
  const perhaps = [
    ...all,
    ...behindUnknownOptions(bare).flatMap((each) => rules.commands(each, folders)),
    ...carriedWords(bare).flatMap((each) =>
      rules.commands(each, folders).filter(({ rule }) => rule.pattern.length > 1),
    ),
  ];
  const rule = perhaps.map((match) => match.rule).find(restricts);
  if (rule) return { restricting: perhapsSaidBy(rule) };
  return allowing ? { allowing } : {};
}

/** `npm --new-option value publish`: any word behind an option that nobody knows may be the one that a rule means. */
function behindUnknownOptions([name, first, ...rest]: readonly Word[]): readonly (readonly Word[])[] {
  const begins = isExact(first) ? first : (first?.begins ?? '');
  if (name === undefined || !begins.startsWith('-')) return [];
  return rest.slice(0, MOST_OPTIONS).map((_, at) => [name].concat(rest.slice(at)));
}

const MOST_OPTIONS = 16;

/** `mise exec -- npm publish`: more programs run others than anybody could list. */
function carriedWords(words: readonly Word[]): readonly (readonly Word[])[] {
  if (isSafeCommand(words)) return [];
  return words.slice(1, MOST_OPTIONS).flatMap((word, at) => (isExact(word) ? [words.slice(at + 1)] : []));
}

function danger(kind: 'command' | 'unclear', subject: string, reason: string): Part {
  return { kind, subject, decision: 'ask', reason, rule: { name: 'dangerous-command' } };
}

/** The rule that allows exactly this command where it stands. */
function proposalFor({ words, folders }: Segment): Part['proposals'] {
  const [cwd, ...others] = folders?.map(absolutePath) ?? [];
  if (cwd === undefined || !words.every(isExact) || !others.every((folder) => isInside(cwd, folder))) return undefined;
  return [{ kind: 'command', words, cwd }];
}

/** Only rules that restrict count here: a host that is allowed does not allow a program. */
function judgeHosts({ words, variables }: Segment, context: JudgeContext): readonly Part[] {
  if (!context.rules.restrictsHosts) return [];
  const named = hostsOf(words)
    .map((host) => judgeHost(host, context))
    .filter(isRestricted);
  const isOpen = speaksToNetwork(words) && (words.some((word) => !isExact(word)) || variables.some(namesHost));
  return named.length === 0 && isOpen ? [unknownHost(commandLine(words), context)].filter(isRestricted) : named;
}

/** `http_proxy`, `PGHOST` */
function namesHost(variable: string): boolean {
  return /proxy$|host$/i.test(variable);
}

export function isRestricted({ decision }: Part): boolean {
  return decision === 'deny' || decision === 'ask';
}

function isNotable(part: Part): boolean {
  return isRestricted(part) || part.kind === 'unclear';
}

/** Variables that change how a program speaks, not what it does. */
const HARMLESS_VARIABLES =
  /^(?:LC_[A-Z]+|LANG|LANGUAGE|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|COLUMNS|LINES|CI|TERM|DEBIAN_FRONTEND|NODE_ENV|RUST_BACKTRACE)$/;

function isHarmless(name: string): boolean {
  return HARMLESS_VARIABLES.test(name);
}

const RUNS_GIVEN: ReadonlySet<string> = new Set([RUNS_INPUT, KNOWN_LATER, GIVES_TO_SHELL]);
const DOWNLOADED = 'it runs what it has just downloaded';
const DOWNLOADERS: ReadonlySet<string | undefined> = new Set(
  'curl wget fetch aria2c http https xh lynx w3m nc ncat'.split(' '),
);

function runsDownload(segment: Segment): boolean {
  const all = everySegment(segment);
  const downloads = all.some(({ words }) => DOWNLOADERS.has(anyProgramName(words[0])));
  return downloads && all.some(({ runs }) => runs?.reading.unclear.some((why) => RUNS_GIVEN.has(why)));
}

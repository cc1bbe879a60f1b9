/**
 * Items as lines for people. Whatever comes from a model or a command is indented below a word of ours, so that it cannot
 * pass for one, and nothing in it reaches the terminal as an escape sequence.
 */
import { visible } from '../visible.js';
import { beginningOf, bothEndsOf } from './excerpt.js';
import type { ExecItem, ItemOf } from './exec-event.js';
import type { Paint } from './paint.js';
import { WEB_SEARCH } from './web-search-item.js';

export function describeItem(item: ExecItem, paint: Paint): readonly string[] {
  switch (item.type) {
    case 'agent_message':
      return [paint.title('tenon'), ...indented(item.text)];
    case 'reasoning':
      return [paint.faint('thinking'), ...indented(item.text)];
    case 'command_execution':
      return endedCommand(item, paint);
    case 'file_change':
      return changedFiles(item, paint);
    case 'mcp_tool_call':
      return [toolLine(`${item.server}/${item.tool}`, item, paint), ...failure(item, item.error?.message ?? '')];
    case 'tool_call':
      return [toolLine(item.tool, item, paint), ...failure(item, textIn(item.content))];
    case WEB_SEARCH:
      return [`${searchWord(item, paint)} ${inLine(item.query)}`, ...failure(item, textIn(item.content))];
    case 'todo_list':
      return [paint.title('plan'), ...item.items.map(({ text, status }) => `  ${MARKS[status]} ${inLine(text)}`)];
    case 'refusal':
      return [
        `${paint.bad('refused')} ${inLine(item.command ?? `${item.tool} ${asText(item.arguments)}`)}`,
        ...indented(item.reason),
      ];
    case 'denial':
      return [`${paint.bad('blocked by the sandbox')}: ${item.kind} ${inLine(item.target)}${sureness(item)}`];
    case 'compaction':
      return [
        `${paint.title('compacted')} the history from about ${inCount(item.tokens_before)} to ` +
          `${inCount(item.tokens_after)} tokens (${item.reason})`,
      ];
    case 'error':
      return [`${paint.bad('warning')}: ${inLine(item.message)}`];
    case 'notice':
      return [`${paint.faint('note')}: ${inLine(item.message)}`];
  }
}

export function commandTitle({ command, cwd }: ItemOf<'command_execution'>, paint: Paint): string {
  return `${paint.title('exec')} ${inLine(command)} in ${inLine(cwd)}`;
}

function endedCommand(item: ItemOf<'command_execution'>, paint: Paint): readonly string[] {
  const { exit_code: code, status, duration_ms: ms = 0, aggregated_output: output } = item;
  const time = `in ${inTime(ms)}`;
  const words =
    status === 'in_progress'
      ? 'still runs, and ends with this program'
      : code === null
        ? paint.bad(`${status} ${time}`)
        : paint[code === 0 ? 'good' : 'bad'](`exited ${code} ${time}`);
  const shown = bothEndsOf(output);
  return [`  ${words}${shown.length === 0 ? '' : ':'}`, ...shown.map(below)];
}

function changedFiles(item: ItemOf<'file_change'>, paint: Paint): readonly string[] {
  const { changes, diff, status, error } = item;
  const title = status === 'failed' ? paint.bad('no change') : paint.title('changed');
  const names = bothEndsOf(changes.map(({ path, kind }) => `${LETTERS[kind]} ${oneLine(path)}`).join('\n')).map(below);
  if (error !== undefined) return [title, ...names, ...indented(error.message)];
  return [title, ...names, ...(diff === undefined ? [] : beginningOf(diff).map(below))];
}

const LETTERS = { add: 'A', update: 'M', delete: 'D' } as const;
const MARKS = { pending: '[ ]', in_progress: '[>]', completed: '[x]' } as const;

type Called = ItemOf<'tool_call' | 'mcp_tool_call'>;
type Search = ItemOf<typeof WEB_SEARCH>;

function searchWord({ status }: Search, paint: Paint): string {
  return status === 'failed' ? paint.bad('no search for') : paint.title('searched for');
}

function toolLine(name: string, { arguments: given, status }: Called, paint: Paint): string {
  const word = status === 'failed' ? paint.bad('failed') : paint.title('called');
  return `${word} ${inLine(name)} ${inLine(asText(given))}`;
}

function failure({ status }: Called | Search, text: string): readonly string[] {
  return status === 'failed' ? bothEndsOf(text).map(below) : [];
}

function textIn(content: ItemOf<'tool_call'>['content'] = []): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function asText(given: Called['arguments']): string {
  return typeof given === 'string' ? given : JSON.stringify(given);
}

function sureness({ proof }: ItemOf<'denial'>): string {
  return proof === 'inferred' ? ', as it seems' : '';
}

function below(line: string): string {
  return `  ${visible(line)}`;
}

function oneLine(text: string): string {
  return text.replaceAll('\n', ' ');
}

function indented(text: string): readonly string[] {
  return text.trim().split('\n').map(below);
}

const LONGEST_LINE = 2_000;

/** Within its line, whatever stands in it. */
function inLine(text: string): string {
  const short = text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text;
  return visible(short.trim().replaceAll('\n', '\n    '));
}

export function inTime(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)}s`;
  return `${Math.floor(ms / 60_000)}m ${Math.round((ms % 60_000) / 1_000)}s`;
}

export function inCount(amount: number): string {
  return amount.toLocaleString('en-US');
}

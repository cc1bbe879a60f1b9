/** The items that calls become, when they begin and when they end. */
import { commandLine, isJsonObject, parseJson } from '../../index.js';
import type { ItemBody, ItemOf } from './exec-event.js';
import type { CallItem, Finished, OpenCall } from './exec-state.js';
import { changesIn, fileChangeOf } from './file-changes.js';
import { printedText } from './printed.js';
import { WEB_SEARCH } from './web-search-item.js';

/** Running something counts for more than writing, and that for more than the rest. */
export function startedItem(call: OpenCall): Extract<ItemBody, { type: CallItem['type'] }> {
  const { id, tool, effects } = call;
  const exec = effects.find((effect) => effect.kind === 'exec');
  if (exec) {
    const command = commandLine(exec.argv);
    const begun = { command, cwd: exec.cwd, aggregated_output: '', exit_code: null };
    return { type: 'command_execution', call: id, ...begun, status: 'in_progress' };
  }
  const remote = effects.find((effect) => effect.kind === 'remote');
  if (remote?.server === WEB_SEARCH) return { type: WEB_SEARCH, call: id, ...search(call), status: 'in_progress' };
  if (remote) {
    const begun = { server: remote.server, tool: remote.tool, arguments: argumentsOf(call), result: null, error: null };
    return { type: 'mcp_tool_call', call: id, ...begun, status: 'in_progress' };
  }
  const changes = changesIn(effects);
  if (changes.length > 0) return { type: 'file_change', call: id, changes, status: 'in_progress' };
  return { type: 'tool_call', call: id, tool, arguments: argumentsOf(call), status: 'in_progress' };
}

/** In the words that servers with a search of their own have for it. */
function search(call: OpenCall): Pick<ItemOf<typeof WEB_SEARCH>, 'query' | 'action'> {
  const given = argumentsOf(call);
  const query = typeof given === 'object' && typeof given['query'] === 'string' ? given['query'] : '';
  return { query, action: { type: 'search', query } };
}

export function endedItem(item: CallItem, call: OpenCall, finished: Finished): CallItem {
  const status = finished.success ? 'completed' : 'failed';
  const duration_ms = finished.durationMs;
  switch (item.type) {
    case 'command_execution':
      return endedCommand(item, call, finished);
    case 'file_change':
      return endedChange(item, call, finished);
    case 'mcp_tool_call':
      return finished.success
        ? { ...item, status, duration_ms, result: resultOf(finished) }
        : { ...item, status, duration_ms, error: { message: textOf(finished) } };
    case 'tool_call':
    case WEB_SEARCH:
      return { ...item, status, duration_ms, content: partsOf(finished) };
  }
}

function endedCommand(
  item: ItemOf<'command_execution'>,
  { at, printed, session, outputFile }: OpenCall,
  finished: Finished,
): CallItem {
  const runsOn = session === 'running' && finished.outcome === 'completed';
  const later = typeof session === 'object' ? session : undefined;
  const code = runsOn ? null : exitCode(later?.exit ?? finished.details?.['exit']);
  const succeeded = code === null ? finished.success : code === 0;
  const text = printedText(printed);
  // A command that printed nothing because it never ran: why is in the answer.
  const neverRan = text === '' && finished.outcome !== 'completed' && finished.outcome !== 'aborted';
  return {
    ...item,
    aggregated_output: neverRan ? textOf(finished) : text,
    exit_code: code,
    status: runsOn ? 'in_progress' : succeeded ? 'completed' : 'failed',
    ...(outputFile !== undefined && { output_file: outputFile }),
    duration_ms: later === undefined ? finished.durationMs : Date.parse(later.at) - Date.parse(at),
  };
}

/** Of a call that was not answered before its turn was over. */
export function leftItem(item: CallItem, { printed }: OpenCall): CallItem {
  return item.type === 'command_execution' ? { ...item, aggregated_output: printedText(printed) } : item;
}

const TIMED_OUT_CODE = 124;

/** As a shell would show it. */
function exitCode(exit: unknown): number | null {
  const { kind, code, number } = (exit ?? {}) as { kind?: unknown; code?: unknown; number?: unknown };
  if (kind === 'exited' && typeof code === 'number') return code;
  if (kind === 'signalled' && typeof number === 'number') return 128 + number;
  return kind === 'timed_out' ? TIMED_OUT_CODE : null;
}

/** What was really changed says more than what was to be changed; without a record of it, that has to do. */
function endedChange(item: ItemOf<'file_change'>, { id, changed }: OpenCall, finished: Finished): CallItem {
  if (!finished.success) return { ...item, status: 'failed', error: { message: textOf(finished) } };
  return changed.length === 0 ? { ...item, status: 'completed' } : { ...item, ...fileChangeOf(id, changed) };
}

export function refusalOf(call: OpenCall, finished: Finished): Extract<ItemBody, { type: 'refusal' }> {
  const { id, tool, effects, rule } = call;
  const exec = effects.find((effect) => effect.kind === 'exec');
  const { by } = finished;
  return {
    type: 'refusal',
    call: id,
    tool,
    by: by === 'user' || by === 'hook' ? by : 'policy',
    reason: textOf(finished),
    ...(by !== 'hook' && rule !== undefined && { rule }),
    ...(exec && { command: commandLine(exec.argv) }),
    arguments: argumentsOf(call),
  };
}

/** Read where they can be, as they came otherwise. */
function argumentsOf({ payload }: OpenCall): Readonly<Record<string, unknown>> | string {
  if (payload.kind === 'custom') return payload.input;
  if (payload.kind === 'local_shell') {
    const { kind: _, ...given } = payload;
    return given;
  }
  const value = parseJson(payload.arguments);
  return isJsonObject(value) ? value : payload.arguments;
}

type Parts = NonNullable<ItemOf<'tool_call'>['content']>;

function partsOf({ content }: Finished): Parts {
  return content.map((part) =>
    part.kind === 'text'
      ? { type: 'text', text: part.text }
      : { type: 'image', mime_type: part.mediaType, bytes: part.bytes },
  );
}

function resultOf(finished: Finished): ItemOf<'mcp_tool_call'>['result'] {
  return { content: partsOf(finished), structured_content: finished.details?.['structuredContent'] ?? null };
}

function textOf({ content }: Finished): string {
  return content.map((part) => (part.kind === 'text' ? part.text : '')).join('');
}

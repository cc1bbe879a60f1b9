/** The items of `tenon exec --json`: what a model did, said and ran into, one after the other. */
import {
  array,
  boolean,
  discriminatedUnion,
  enum as oneOf,
  extend,
  int,
  literal,
  nullable,
  number,
  object,
  optional,
  record,
  string,
  union,
  unknown,
} from 'zod/mini';

import { WEB_SEARCH } from './web-search-item.js';

const item = object({ id: string() });

/** What comes of a call names it, as the runtime's own events do. */
const ofCall = extend(item, { call: string() });

const status = oneOf(['in_progress', 'completed', 'failed']);

const callArguments = union([record(string(), unknown()), string()]);

const contentPart = discriminatedUnion('type', [
  object({ type: literal('text'), text: string() }),
  /** Images are named, not repeated. */
  object({ type: literal('image'), mime_type: string(), bytes: number() }),
]);

const commandExecution = extend(ofCall, {
  type: literal('command_execution'),
  command: string(),
  cwd: string(),
  /** Both streams, without colours and cursor movements. What was left out of the middle is marked. */
  aggregated_output: string(),
  /** A signal counts as 128 and its number. Null while it runs, and when it could not be started. */
  exit_code: nullable(int()),
  /** A completed item that is still `in_progress` ran on when the turn ended, and ends with the program. */
  status,
  /** Where the whole of a long output is. */
  output_file: optional(string()),
  duration_ms: optional(number()),
});

const fileChange = extend(ofCall, {
  type: literal('file_change'),
  changes: array(object({ path: string(), kind: oneOf(['add', 'update', 'delete']) })),
  status,
  /** In the form of `git diff`; left out where it would be long. */
  diff: optional(string()),
  /** Why it failed. */
  error: optional(object({ message: string() })),
});

const mcpToolCall = extend(ofCall, {
  type: literal('mcp_tool_call'),
  server: string(),
  tool: string(),
  arguments: callArguments,
  result: nullable(object({ content: array(contentPart), structured_content: unknown() })),
  error: nullable(object({ message: string() })),
  status,
  duration_ms: optional(number()),
});

/** Any other tool. */
const toolCall = extend(ofCall, {
  type: literal('tool_call'),
  tool: string(),
  arguments: callArguments,
  content: optional(array(contentPart)),
  status,
  duration_ms: optional(number()),
});

/** By the model's own server, or, with a `call`, by the service that the user has named. */
const webSearch = extend(item, {
  type: literal(WEB_SEARCH),
  query: string(),
  action: optional(record(string(), unknown())),
  call: optional(string()),
  content: optional(array(contentPart)),
  status: optional(status),
  duration_ms: optional(number()),
});

const todoList = extend(item, {
  type: literal('todo_list'),
  items: array(
    object({ text: string(), completed: boolean(), status: oneOf(['pending', 'in_progress', 'completed']) }),
  ),
  explanation: optional(string()),
});

/** A call that was not allowed to run, or whose result was withheld. */
const refusal = extend(ofCall, {
  type: literal('refusal'),
  tool: string(),
  by: oneOf(['policy', 'user', 'hook']),
  /** What the model was told. */
  reason: string(),
  /** Which rule or setting decided. */
  rule: optional(string()),
  /** What would have run. */
  command: optional(string()),
  arguments: callArguments,
});

/** Something that the sandbox stopped; the call went on or failed by it. */
const denial = extend(ofCall, {
  type: literal('denial'),
  attempt: int(),
  kind: oneOf(['write', 'read', 'connect', 'syscall']),
  target: string(),
  /** How it is known. `inferred`: it looks so, nothing proves it. */
  proof: oneOf(['broker', 'kernel', 'proxy', 'counterfactual', 'inferred']),
});

const compaction = extend(item, {
  type: literal('compaction'),
  reason: oneOf(['overflow', 'near-limit', 'asked']),
  /** Estimated. */
  tokens_before: int(),
  tokens_after: int(),
});

/** Something went wrong and stops nothing. `kind` is the event of the runtime that told it. */
const problem = extend(item, {
  type: literal('error'),
  message: string(),
  kind: string(),
  call: optional(string()),
});

/** Something to know that went well. */
const notice = extend(item, {
  type: literal('notice'),
  message: string(),
  kind: string(),
  call: optional(string()),
});

export const execItemSchema = discriminatedUnion('type', [
  extend(item, { type: literal('agent_message'), text: string(), phase: optional(string()) }),
  extend(item, { type: literal('reasoning'), text: string() }),
  commandExecution,
  fileChange,
  mcpToolCall,
  toolCall,
  webSearch,
  todoList,
  refusal,
  denial,
  compaction,
  problem,
  notice,
]);

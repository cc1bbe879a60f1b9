/** The tools of one runtime: looked up by name, told to the model in one frozen, sorted list. */
import { ToolFailure } from '../core/errors.js';
import type { ToolCall } from '../core/call.js';
import type { Emit } from '../core/events.js';
import { nearest } from '../core/nearest.js';
import type { Selection } from '../core/selection.js';
import type { Offer, Tool, ToolSpec } from '../core/tool.js';

export interface Registry {
  /** By its own name or by one that older models know it under. */
  find(name: string): Tool | undefined;
  /** What a model hears of a call that nobody can take. */
  unsupported(call: ToolCall): ToolFailure;
  /** Every tool that can be called, sorted by name. */
  readonly tools: readonly Tool[];
  /** What the model is told, sorted by name and frozen: the prompt cache depends on it. */
  readonly specs: readonly ToolSpec[];
}

/** What both wires accept as a name. */
const WIRE_NAME = /^[A-Za-z0-9_-]{1,64}$/;

export function createRegistry(candidates: readonly Tool[], selection: Selection, emit: Emit): Registry {
  const byName = new Map<string, Tool>();
  const specs: ToolSpec[] = [];
  for (const tool of candidates) {
    const offer = offerOf(tool, selection);
    if (offer === 'off') continue;
    const problem = registrationProblem(tool, byName);
    if (problem !== undefined) {
      emit({ type: 'tool.refused', name: tool.spec.name, reason: problem });
      continue;
    }
    byName.set(tool.spec.name, tool);
    if (offer === 'advertised') specs.push(tool.specFor?.(selection) ?? tool.spec);
  }
  const byAlias = aliasesOf(byName, emit);
  const told = deepFreeze(specs.toSorted(byNameOrder));
  for (const name of Object.keys(selection.overrides)) {
    const known = candidates.some((tool) => tool.spec.name === name);
    if (!known) emit({ type: 'tool.refused', name, reason: 'the configuration names it, but there is no such tool' });
  }

  return {
    find: (name) => byName.get(name) ?? byAlias.get(name),
    unsupported: (call) => unsupported(call, told),
    tools: [...byName.values()].toSorted((a, b) => byNameOrder(a.spec, b.spec)),
    specs: told,
  };
}

/** The user's word first, then whether the tool has to be asked for, then the tool's own view. */
function offerOf(tool: Tool, selection: Selection): Offer {
  const { name } = tool.spec;
  if (Object.hasOwn(selection.overrides, name)) return selection.overrides[name] ? 'advertised' : 'off';
  if (tool.experimental && !selection.experimental.includes(name)) return 'off';
  return tool.offer?.(selection) ?? 'advertised';
}

function registrationProblem(tool: Tool, taken: ReadonlyMap<string, Tool>): string | undefined {
  const { name } = tool.spec;
  if (!WIRE_NAME.test(name)) return `"${name}" is not a usable name: 1 to 64 letters, digits, "_" or "-"`;
  if (taken.has(name)) return `a tool called "${name}" is already there; the first one stays`;
  return undefined;
}

/** A tool's own name always wins over another tool's alias, and of two equal aliases the first stays. */
function aliasesOf(byName: ReadonlyMap<string, Tool>, emit: Emit): ReadonlyMap<string, Tool> {
  const byAlias = new Map<string, Tool>();
  for (const tool of byName.values()) {
    for (const alias of tool.aliases ?? []) {
      if (byName.has(alias)) continue;
      if (byAlias.has(alias))
        emit({ type: 'tool.refused', name: alias, reason: 'two tools answer to this name; the first one stays' });
      else byAlias.set(alias, tool);
    }
  }
  return byAlias;
}

function unsupported(call: ToolCall, specs: readonly ToolSpec[]): ToolFailure {
  const kind = call.payload.kind === 'custom' ? 'custom tool call' : 'call';
  // What only a server can run, a model has never called by its name.
  const names = specs.filter((spec) => spec.kind !== 'hosted' || spec.lowered).map((spec) => spec.name);
  const guess = nearest(call.name, names);
  const advice = guess === undefined ? `Available: ${names.join(', ') || 'none'}.` : `Did you mean ${guess}?`;
  return new ToolFailure(`unsupported ${kind}: ${call.name}. ${advice}`);
}

/** Code unit order: the same on every machine, unlike a locale's. */
function byNameOrder(a: ToolSpec, b: ToolSpec): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}

/**
 * Calls of the Chat Completions API, which come in pieces. Pieces belong together by their index, else their id, else
 * because they follow one another; servers leave out any of these.
 */
import { parseJson } from '../core/json-object.js';
import type { JsonObject } from '../core/json-object.js';
import { argumentsIn, countIn, objectIn, textIn } from './read-field.js';
import { MOST_PARTS, tooManyParts } from './stream-ends.js';

export type PartialCall = {
  readonly index?: number;
  readonly id: string;
  readonly name: string;
  /** Arguments, or the free text of a custom call. */
  readonly text: string;
  readonly custom: boolean;
  /** Fields that nobody here knows, in the call and in its function: they go back with it. */
  readonly rest: JsonObject;
  readonly innerRest: JsonObject;
  /** `whole`: nothing more is to come. `sent`: told to whoever reads the stream. */
  readonly phase: 'open' | 'whole' | 'sent';
};

/** A call that has been followed by another is whole, if what there is of it can be all. */
export function addPiece(calls: readonly PartialCall[], piece: JsonObject): readonly PartialCall[] {
  const at = placeOf(calls, piece);
  const target = calls[at];
  if (target === undefined && calls.length === MOST_PARTS) throw tooManyParts();
  if (target === undefined) return [...calls.map(closed), extended(emptyCall(piece), piece)];
  return calls.with(at, extended(target, piece));
}

export function isWhole({ custom, text }: PartialCall): boolean {
  return !custom && /[}\]"]\s*$/.test(text.slice(-9)) && parseJson(text) !== undefined;
}

function closed(call: PartialCall, at: number, all: readonly PartialCall[]): PartialCall {
  const isOpen = at === all.length - 1 && call.phase === 'open' && call.name !== '';
  return isOpen && (call.custom || isWhole(call)) ? { ...call, phase: 'whole' } : call;
}

/** Beyond the end for a piece that begins a new call. */
function placeOf(calls: readonly PartialCall[], piece: JsonObject): number {
  const at = calls.findLastIndex(partnerOf(piece));
  const target = calls[at];
  return target === undefined || isAnother(target, piece) ? calls.length : at;
}

function partnerOf(piece: JsonObject): (call: PartialCall) => boolean {
  const index = countIn(piece['index']);
  if (index !== undefined) return (call) => call.index === index;
  const id = textIn(piece['id']);
  return id === undefined ? () => true : (call) => call.id === id;
}

/** There are servers that give every call the same place, or none: then a second name begins a second call. */
function isAnother(target: PartialCall, piece: JsonObject): boolean {
  const id = textIn(piece['id']);
  const name = textIn(insideOf(piece)['name']);
  if (name === undefined || target.name === '') return false;
  if (id !== undefined && target.id !== '') return id !== target.id && (name !== target.name || isWhole(target));
  return countIn(piece['index']) === undefined && isWhole(target);
}

function emptyCall(piece: JsonObject): PartialCall {
  const index = countIn(piece['index']);
  return {
    ...(index !== undefined && { index }),
    id: '',
    name: '',
    text: '',
    custom: piece['type'] === 'custom' || objectIn(piece['custom']) !== undefined,
    rest: {},
    innerRest: {},
    phase: 'open',
  };
}

function extended(call: PartialCall, piece: JsonObject): PartialCall {
  const { index: _index, id, type: _type, function: _function, custom: _custom, ...rest } = piece;
  const { name, arguments: given, input, ...innerRest } = insideOf(piece);
  return {
    ...call,
    id: call.id === '' ? (textIn(id) ?? '') : call.id,
    name: longerName(call.name, textIn(name) ?? ''),
    text: call.text + (call.custom ? (textIn(input) ?? '') : argumentsIn(given)),
    rest: { ...call.rest, ...rest },
    innerRest: { ...call.innerRest, ...innerRest },
  };
}

function insideOf(piece: JsonObject): JsonObject {
  return objectIn(piece['custom']) ?? objectIn(piece['function']) ?? {};
}

/** A name may come in pieces as well; whole, it may come with every piece. */
function longerName(name: string, piece: string): string {
  return piece === name ? name : name + piece;
}

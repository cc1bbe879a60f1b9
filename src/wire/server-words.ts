/** What a server says is wrong, found in the forms in which servers say so. */
import { isJsonObject, parseJson } from '../core/json-object.js';
import type { JsonObject } from '../core/json-object.js';
import { pageTitle } from '../core/page-title.js';
import { objectIn, objectsIn, textIn } from './read-field.js';

export type ServerWords = {
  readonly message: string;
  /** What the server calls it: its code and type. */
  readonly names: readonly string[];
  /** A status that it states in its words. */
  readonly status?: number;
};

const LONGEST_MESSAGE = 600;

/** From the body of an answer that is an error. */
export function readErrorBody(body: string): ServerWords {
  const value = parseJson(body);
  const found = objectIn(Array.isArray(value) ? value[0] : value);
  if (found !== undefined) return readError(found);
  if (typeof value === 'string') return { message: bounded(value), names: [] };
  return { message: bounded(isPage(body) ? (pageTitle(body) ?? 'a web page') : body), names: [] };
}

/** From an object that is an error, or has one. */
export function readError(value: JsonObject): ServerWords {
  const error = objectIn(value['error']) ?? value;
  const { code, type } = error;
  const status = [code, value['status'], value['code']].find(isStatus);
  return {
    message: bounded([said(value), cause(error)].filter((words) => words !== '').join(': ')),
    names: [code, type, error['status']].flatMap((name) => textIn(name) ?? []),
    ...(status !== undefined && { status }),
  };
}

const DEEPEST = 4;

function said(value: JsonObject, depth = 0): string {
  if (depth > DEEPEST) return '';
  const { error, message, detail, errors } = value;
  if (isJsonObject(error)) return said(error, depth + 1);
  const places = [error, message, detail, value['msg'], value['error_description']];
  const inLists = (): string[] => [detail, errors].flatMap(objectsIn).map((each) => said(each, depth + 1));
  return places.map(textIn).find((words) => words !== undefined) ?? inLists().filter(Boolean).join('; ');
}

/** A gateway hands on what the server behind it said. */
function cause({ metadata }: JsonObject): string {
  const raw = objectIn(metadata)?.['raw'];
  if (typeof raw !== 'string') return '';
  const value = objectIn(parseJson(raw));
  return value === undefined ? raw : said(value);
}

function isStatus(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 400 && value < 600;
}

function isPage(body: string): boolean {
  return /^\s{0,99}<(!doctype|html|head|body)/i.test(body);
}

function bounded(words: string): string {
  const line = words
    .slice(0, 2 * LONGEST_MESSAGE)
    .replaceAll(/[\s\u0000-\u001f\u007f]+/g, ' ')
    .trim();
  return line.length > LONGEST_MESSAGE ? `${line.slice(0, LONGEST_MESSAGE)}…` : line;
}

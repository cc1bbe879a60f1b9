/** Reads the first line of an entry. A line that is not one of ours, or of a later version, is no entry. */
import path from 'node:path';

import type { EntryHeader, StoredFile, StoredState } from './entry.js';

export function parseHeader(line: string): EntryHeader | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isHeader(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function isHeader(value: unknown): value is EntryHeader {
  if (!isRecord(value) || value['v'] !== 1) return false;
  const texts = ['id', 'callId', 'turn', 'title', 'at', 'by'].every((key) => typeof value[key] === 'string');
  const lists = ['undoes', 'notPutBack'].every((key) => value[key] === undefined || isTexts(value[key]));
  const words = value['uncovered'] === undefined || typeof value['uncovered'] === 'string';
  return texts && lists && words && Array.isArray(value['files']) && value['files'].every(isFile);
}

function isFile(value: unknown): value is StoredFile {
  if (!isRecord(value) || typeof value['path'] !== 'string' || !path.isAbsolute(value['path'])) return false;
  return isState(value['before']) && (value['after'] === undefined || isState(value['after']));
}

function isState(value: unknown): value is StoredState {
  if (!isRecord(value)) return false;
  if (value['kind'] === 'absent') return true;
  if (value['kind'] === 'link') return typeof value['target'] === 'string';
  if (value['kind'] === 'folder') return isCount(value['mode'], 'optional');
  if (value['kind'] !== 'file' || !isCount(value['size'])) return false;
  if (value['sha256'] !== undefined && typeof value['sha256'] !== 'string') return false;
  return ['mode', 'modified', 'offset'].every((key) => isCount(value[key], 'optional'));
}

function isCount(value: unknown, need: 'optional' | 'required' = 'required'): boolean {
  if (value === undefined) return need === 'optional';
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

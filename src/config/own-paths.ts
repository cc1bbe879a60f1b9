/** Files that settings name. They count from the folder of the file that names them, wherever the program is started. */
import path from 'node:path';

import { userFolder } from '../store/home.js';
import type { Layer } from './layer.js';
import { valueAt, withValue } from './raw-table.js';

/** `folder` is where a flag's names count from. */
export function withWholePaths(layer: Layer, folder: string): Layer {
  const from = layer.kind === 'flag' ? folder : path.dirname(layer.name);
  const raw = PATH_KEYS.reduce((table, key) => {
    const file = valueAt(table, key);
    return typeof file === 'string' && file !== ''
      ? (withValue(table, key, wholePath(file, from)) as Layer['raw'])
      : table;
  }, layer.raw);
  return { ...layer, raw };
}

const PATH_KEYS = [['model_instructions_file'], ['tool_security', 'audit_log_path']];

function wholePath(file: string, from: string): string {
  return path.resolve(from, file.replace(/^~(?=\/|$)/, userFolder()));
}

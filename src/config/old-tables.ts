/**
 * `[tool_config]` and `[tool_security]` of earlier descriptions, and other names for our keys. What they say is moved to the
 * key of ours that means the same, layer by layer, so that everybody else need only know ours.
 */
import { keyText } from '../toml/key.js';
import { whereIn } from './layer.js';
import type { Layer } from './layer.js';
import { isTable, valueAt, withValue, withoutValue } from './raw-table.js';

/** A key of ours wins over an older one in the same file, with a warning if they differ. */
export function withoutOldTables(layer: Layer, onWarning: (message: string) => void): Layer {
  const moved = new Map<string, readonly string[]>();
  let { raw } = layer;
  for (const { from, to, read = same } of MOVES) {
    const value = read(valueAt(raw, from));
    if (value === undefined) continue;
    const own = valueAt(raw, to);
    raw = withoutValue(raw, from);
    if (own === undefined) {
      raw = withValue(raw, to, value) as Layer['raw'];
      moved.set(keyText(to), from);
    } else if (JSON.stringify(own) !== JSON.stringify(value)) {
      const where = whereIn(layer, from, 'key');
      onWarning(`${where}: \`${keyText(from)}\` is not used, because \`${keyText(to)}\` says something else`);
    }
  }
  const place: Layer['place'] = (path, part) => layer.place(moved.get(keyText(path.map(String))) ?? path, part);
  return { ...layer, raw, place };
}

type Move = {
  readonly from: readonly string[];
  readonly to: readonly string[];
  /** What the older value means there; undefined leaves it where it is. */
  readonly read?: (value: unknown) => unknown;
};

const same = (value: unknown): unknown => value;
const flag = (value: unknown): unknown => (typeof value === 'boolean' ? value : undefined);
const search = (value: unknown): unknown => {
  const isOn = isTable(value) ? value['enabled'] : value;
  return typeof isOn === 'boolean' ? (isOn ? 'live' : 'disabled') : undefined;
};
const noPatches = (value: unknown): unknown => (value === false ? 'none' : undefined);

/** Of two that mean the same key, the first wins. */
const MOVES: readonly Move[] = [
  { from: ['tool_security', 'approval_policy'], to: ['approval_policy'] },
  { from: ['tool_config', 'approval_policy'], to: ['approval_policy'] },
  { from: ['tool_security', 'sandbox_policy'], to: ['sandbox_policy'] },
  { from: ['tool_config', 'sandbox_policy'], to: ['sandbox_policy'] },
  { from: ['tool_config', 'shell_type'], to: ['shell_type'] },
  { from: ['tool_config', 'include_apply_patch_tool'], to: ['apply_patch_tool_type'], read: noPatches },
  { from: ['tool_config', 'apply_patch_tool_type'], to: ['apply_patch_tool_type'] },
  { from: ['tool_config', 'experimental_supported_tools'], to: ['experimental_supported_tools'] },
  { from: ['tool_config', 'tools_web_search_request'], to: ['web_search'], read: search },
  { from: ['tool_config', 'web_search_request'], to: ['web_search'], read: search },
  { from: ['tools', 'web_search'], to: ['web_search'], read: search },
  { from: ['tool_config', 'include_plan_tool'], to: ['tools', 'update_plan'], read: flag },
  { from: ['tool_config', 'include_view_image_tool'], to: ['tools', 'view_image'], read: flag },
  {
    from: ['tool_config', 'use_experimental_streamable_shell_tool'],
    to: ['features', 'unified_exec'],
    read: flag,
  },
];

/** Changes of files as items tell them: what was to be changed, and what was. */
import type { ItemBody, ItemOf } from './exec-event.js';
import type { OpenCall } from './exec-state.js';

type Change = ItemOf<'file_change'>['changes'][number];

/** As far as that is known before anything was changed. */
export function changesIn(effects: OpenCall['effects']): readonly Change[] {
  return effects.flatMap((effect) =>
    effect.kind === 'write' ? [{ path: effect.path, kind: intendedKind(effect.diff ?? '') }] : [],
  );
}

/** Patches begin with what they do to the file, in both spellings. */
function intendedKind(diff: string): Change['kind'] {
  const [head = ''] = diff.split('\n@@', 1);
  if (/^\*\*\* Add File: |^new file mode |^--- \/dev\/null$/m.test(head)) return 'add';
  return /^\*\*\* Delete File: |^deleted file mode |^\+\+\+ \/dev\/null$/m.test(head) ? 'delete' : 'update';
}

export function fileChangeOf(call: string, changed: OpenCall['changed']): Extract<ItemBody, { type: 'file_change' }> {
  const diffs = changed.map(({ diff }) => diff);
  const diff = diffs.every((each) => each !== undefined) ? diffs.join('') : undefined;
  return {
    type: 'file_change',
    call,
    changes: changed.flatMap(({ files }) => files.map(({ path, change }) => ({ path, kind: KINDS[change] }))),
    status: 'completed',
    ...(diff !== undefined && { diff }),
  };
}

const KINDS = { added: 'add', modified: 'update', deleted: 'delete', 'mode-changed': 'update' } as const;

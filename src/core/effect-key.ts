/** What makes two effects the same to whoever approved one: not, for instance, the content of a file. */
import type { Effect } from './effects.js';

export function effectKey(effect: Effect): readonly unknown[] {
  switch (effect.kind) {
    case 'exec':
      return ['exec', effect.argv, effect.cwd];
    case 'read':
    case 'write':
      return [effect.kind, effect.path];
    case 'connect':
      return ['connect', effect.host];
    case 'remote':
      return ['remote', effect.server, effect.tool];
    case 'type':
      // The same keys end another line differently.
      return ['type', effect.session, effect.line ?? '', effect.text];
    default:
      return ['other', effect];
  }
}

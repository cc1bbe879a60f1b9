/** Resolved policies for tests that need no disk. */
import { absolutePath } from '../../../src/core/paths.js';
import { NOTHING_ALLOWED } from '../../../src/sandbox/policy.js';
import type { Place, ResolvedPolicy } from '../../../src/sandbox/policy.js';

export function folder(text: string): Place {
  return { path: absolutePath(text), kind: 'folder', device: 1, inode: 1 };
}

export function file(text: string): Place {
  return { ...folder(text), kind: 'file' };
}

/** One of everything. */
export const WORKSPACE: ResolvedPolicy = {
  ...NOTHING_ALLOWED,
  writable: [folder('/Users/me/work'), folder('/private/tmp')],
  protected: [folder('/Users/me/work/.git'), folder('/Users/me/work/deep/down/.git')],
  pinned: [folder('/Users/me/work/deep'), folder('/Users/me/work/deep/down')],
  granted: [file('/Users/me/work/.git/info/exclude'), folder('/opt/cache')],
  hidden: [folder('/Users/me/.ssh'), file('/Users/me/work/app/.env')],
  links: [{ path: absolutePath('/Users/me/work/.agents'), target: '/Users/me/agents' }],
  absent: [absolutePath('/private/tmp/.git')],
};

/** The whole table. */
import type { BackendUnderTest, Row } from './row.js';
import { ACROSS_ROWS } from './rows-across.js';
import { CHROOT_ROWS } from './rows-chroot.js';
import { FILE_ROWS } from './rows-files.js';
import { GIT_ROWS } from './rows-git.js';
import { GUARD_ROWS } from './rows-guard.js';
import { KERNEL_ROWS } from './rows-kernel.js';
import { LAUNCHER_ROWS } from './rows-launcher.js';
import { MORE_ROWS } from './rows-more.js';
import { NAME_ROWS } from './rows-names.js';
import { NETWORK_ROWS } from './rows-network.js';
import { OTHERS_ROWS } from './rows-others.js';
import { PROCESS_ROWS } from './rows-processes.js';
import { PROXY_ROWS } from './rows-proxy.js';
import { SECRET_ROWS } from './rows-secrets.js';
import { SETTING_ROWS } from './rows-settings.js';
import { STORY_ROWS } from './rows-stories.js';
import { TOOL_ROWS } from './rows-tools.js';

export const ROWS: readonly Row[] = [
  ...FILE_ROWS,
  ...GIT_ROWS,
  ...KERNEL_ROWS,
  ...OTHERS_ROWS,
  ...NETWORK_ROWS,
  ...PROCESS_ROWS,
  ...STORY_ROWS,
  ...PROXY_ROWS,
  ...SECRET_ROWS,
  ...NAME_ROWS,
  ...MORE_ROWS,
  ...GUARD_ROWS,
  ...SETTING_ROWS,
  ...LAUNCHER_ROWS,
  ...ACROSS_ROWS,
  ...TOOL_ROWS,
];

/** A chroot has a table of its own: what lies outside is not there at all. */
export function rowsOf(backend: BackendUnderTest): readonly Row[] {
  return backend === 'chroot' ? CHROOT_ROWS : ROWS;
}

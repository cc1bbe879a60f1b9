/** Which session is meant: the one that is named, the last one, or the one that is chosen at the terminal. */
import { realpathSync } from 'node:fs';

import type { SessionStore } from '../../index.js';
import { askLine, isAtTerminal } from '../ask-line.js';
import { UsageError } from '../usage-error.js';
import { visible } from '../visible.js';
import { workspaceFolder } from '../workspace-folder.js';
import { sessionTable } from './session-table.js';

export type Choice = {
  /** Its id, the beginning of it, or its name. */
  readonly named?: string;
  readonly last?: boolean;
  /** Whatever folder it belongs to. */
  readonly all?: boolean;
  readonly cd?: string;
  /** Whether somebody at the terminal may be asked. */
  readonly asks: boolean;
};

/** Resolves to its id. Throws a `UsageError` or a `ConfigError`. */
export async function chooseSession(store: SessionStore, choice: Choice): Promise<string> {
  if (choice.named !== undefined) return store.find(choice.named);
  const cwd = folderToLookFor(choice);
  if (choice.last) return (await store.latest(cwd)) ?? none(cwd);
  if (!(choice.asks && isAtTerminal())) throw new UsageError(NOT_SAID);
  const found = await store.list({ limit: SHOWN, ...(cwd !== undefined && { cwd }) });
  if (found.length === 0) none(cwd);
  process.stderr.write(`${sessionTable(found, { numbered: true })}\n`);
  const answer = await askLine(`Which one? 1 to ${found.length}: `);
  const chosen = /^\d+$/.test(answer.trim()) ? found[Number(answer) - 1] : undefined;
  if (chosen === undefined) throw new UsageError('no session was chosen');
  return chosen.id;
}

/** Undefined for all of them. Kept sessions know their folder by the name that no link has a part in. */
export function folderToLookFor({ all, cd }: Pick<Choice, 'all' | 'cd'>): string | undefined {
  return all ? undefined : realpathSync(workspaceFolder(cd));
}

/** More than this nobody chooses from by a number. */
const SHOWN = 10;

const NOT_SAID =
  'which session? Pass its id, the beginning of it, or its name, as `tenon sessions list` shows them, or --last for the last one of this folder';

function none(cwd: string | undefined): never {
  if (cwd === undefined) throw new UsageError('no session is kept yet');
  throw new UsageError(`no session of ${visible(cwd)} is kept; --all looks for one of any folder`);
}

/** The audit log of a runtime: it hears everything first, and is asked before anything is done. */
import path from 'node:path';

import { writtenByCommands } from './create-policy.js';
import type { RuntimeOptions } from './options.js';
import type { Listener } from './core/events.js';
import { inBoth } from './core/journal.js';
import { absolutePath } from './core/paths.js';
import type { Workspace } from './core/workspace.js';
import { realPath } from './exec/real-path.js';
import { createAuditLog } from './journal/audit-log.js';

export interface Audit {
  readonly listener: Listener;
  /** The same options with a journal that stops what cannot be recorded. */
  over(options: RuntimeOptions): RuntimeOptions;
  close(): void;
}

export function openAudit(options: RuntimeOptions, { cwd }: Workspace): Audit | undefined {
  const { auditLog } = options;
  if (auditLog === undefined) return undefined;
  const log = createAuditLog({
    path: absolutePath(path.resolve(auditLog)),
    run: `${process.pid}-${Date.now().toString(36)}`,
    untrusted: writtenByCommands(options, cwd),
    realPath,
  });
  return {
    listener: log.listener,
    over: ({ journal, ...rest }) => ({ ...rest, journal: journal ? inBoth(log.journal, journal) : log.journal }),
    close: () => log.close(),
  };
}

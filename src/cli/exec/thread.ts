/** Who does the work, where, and with which rights: what is said before all else. */
import { runtimeOptions } from '../../index.js';
import type { Agent, Config } from '../../index.js';
import type { Thread } from './exec-lines.js';

export function threadOf({ session, model }: Agent, cwd: string, config: Config): Thread {
  const { approvalPolicy, sandboxMode } = runtimeOptions(config);
  return {
    thread_id: session.id,
    cwd,
    model: model.name,
    provider: model.provider,
    approval_policy: approvalPolicy,
    sandbox_mode: sandboxMode,
  };
}

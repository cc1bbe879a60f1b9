/** `tenon exec`: one turn of a model without anybody at the screen. */
import path from 'node:path';

import { execSettings } from '../exec/exec-settings.js';
import type { ExecFlags } from '../exec/flags.js';
import { newSession } from '../exec/keep-session.js';
import { readPrompt } from '../exec/read-prompt.js';
import { withImages } from '../exec/read-words.js';
import { runTurn } from '../exec/run-turn.js';
import { workspaceFolder } from '../workspace-folder.js';

export async function runAgent(prompt: string | undefined, flags: ExecFlags): Promise<number> {
  const cwd = path.resolve(workspaceFolder(flags.cd));
  const settings = await execSettings(cwd, flags);
  const kept = newSession(cwd, flags);
  try {
    return await runTurn(flags, {
      cwd,
      settings,
      ...(kept && { kept }),
      words: () => withImages(flags, () => readPrompt(prompt)),
    });
  } finally {
    kept?.log.close();
  }
}

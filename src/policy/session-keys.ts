/** What an approval for the session covers: the same command in the same place, each file by itself. */
import { effectKey } from '../core/effect-key.js';
import type { Effect, Intent } from '../core/effects.js';
import { isExact } from '../shell/reading.js';
import { isSystemShell, shellKind } from '../shell/shells.js';
import type { JudgeContext } from './context.js';

/** One key for each effect. */
export function sessionKeys({ effects }: Intent, context: JudgeContext): readonly string[] {
  return effects.map((effect) => JSON.stringify(keyOf(effect, context)));
}

function keyOf(effect: Effect, context: JudgeContext): readonly unknown[] {
  if (effect.kind === 'exec') return ['exec', canonical(effect, context), effect.cwd];
  // A link that is bent later leads to another file.
  return effect.kind === 'write' ? [...effectKey(effect), context.realPath(effect.path)] : effectKey(effect);
}

/** A plain command is the same through whichever shell it runs, and a script through whichever path of its shell. */
function canonical({ argv, cwd }: Extract<Effect, { kind: 'exec' }>, { reader, home }: JudgeContext): unknown {
  const [program = '', ...rest] = argv;
  if (!isSystemShell(program)) return argv;
  const { runs } = reader.readArgv(argv, { cwd, home });
  if (runs?.plainly !== true) return argv;
  const { segments, files, unclear } = runs.reading;
  const [only] = segments;
  const isPlain = only !== undefined && segments.length === 1 && files.length === 0 && unclear.length === 0;
  if (isPlain && only.variables.length === 0 && only.words.every(isExact)) return only.words;
  return [{ shell: shellKind(program) }, ...rest];
}

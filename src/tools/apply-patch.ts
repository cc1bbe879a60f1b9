/** Applies a patch to files: all of it or nothing. Also what other tools do with a patch that they were handed. */
import { _default, object, string } from 'zod/mini';

import { readText, validateArguments } from '../core/arguments.js';
import type { Payload } from '../core/call.js';
import type { Effect, Intent } from '../core/effects.js';
import { ToolFailure } from '../core/errors.js';
import { FileProblem } from '../core/file-problem.js';
import { isJsonObject } from '../core/json-object.js';
import type { JsonObject } from '../core/json-object.js';
import { resolvePath } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';
import type { Presentation, RunScope, Tool } from '../core/tool.js';
import type { ProcessExit } from '../core/workspace.js';
import { PatchError } from '../patch/patch-error.js';
import { parsePatch } from '../patch/parse-patch.js';
import type { Patch } from '../patch/patch.js';
import { planPatch, successText } from '../patch/plan-patch.js';
import { structuredPatch } from '../patch/structured-patch.js';
import { patchTexts, readPaths, touchedPaths } from '../patch/touched-paths.js';
import { freeformOutput } from './command-output.js';
import { REPLACEMENT_PARAMETERS, patchSpec } from './patch-faces.js';
import { readSource } from './read-source.js';
import type { Run } from './run-to-end.js';

const NAME = 'apply_patch';

/** What a program is called that takes a patch. */
export const PATCH_PROGRAMS: readonly string[] = [NAME, 'applypatch'];

export const applyPatch: Tool<Patch> = {
  spec: patchSpec(NAME, 'freeform'),
  specFor: ({ patchFace }) => patchSpec(NAME, patchFace),
  offer: ({ patchFace }) => (patchFace === 'none' ? 'callable' : 'advertised'),
  concurrency: 'exclusive',
  onlyChangesFiles: true,
  aliases: ['applypatch'],
  example: '*** Begin Patch\n*** Add File: notes.txt\n+first line\n*** End Patch',
  advice:
    `Change files with ${NAME}, not with commands such as \`sed -i\`. Say enough of what stands around a change to tell ` +
    'which place is meant. An answer without an error means that it is done; after one, read the place again first.',
  parse: readPatch,
  intent: (patch, { cwd }) => patchIntent(patch, cwd),
  present: presentPatch,
  async run(patch, scope) {
    const run = await runPatch(patch, scope.workspace.cwd, scope);
    const output = freeformOutput(run, NAME);
    return { ...output, details: { ...output.details, text: run.text } };
  },
};

/** Free text, the same as an argument, or the content to replace and its replacement. */
function readPatch(payload: Payload): Patch {
  const fields = fieldsIn(payload);
  if (fields !== undefined && isReplacement(fields)) {
    const given = validateArguments(replacement(), fields, REPLACEMENT_PARAMETERS);
    return verified(() => structuredPatch(given));
  }
  const isWrapped = fields !== undefined && payload.kind === 'custom';
  const asked: Payload = isWrapped ? { kind: 'function', arguments: payload.input } : payload;
  return verified(() => parsePatch(readText(NAME, asked, TEXT_ARGUMENTS)));
}

const TEXT_ARGUMENTS = ['input', 'patch'];

const replacement = () =>
  object({
    file_path: string(),
    original_content: _default(string(), ''),
    updated_content: string(),
  });

/** Arguments, also where free text should be. */
function fieldsIn(payload: Payload): JsonObject | undefined {
  const text = payload.kind === 'function' ? payload.arguments : payload.kind === 'custom' ? payload.input : '';
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether it is meant as one, be it complete or not. */
function isReplacement(fields: JsonObject): boolean {
  return 'file_path' in fields && !TEXT_ARGUMENTS.some((name) => typeof fields[name] === 'string');
}

/** A patch that came in a command. */
export function parseHanded(text: string): Patch {
  return verified(() => parsePatch(text));
}

/** What a model hears that sends a patch where a command should be. */
export function barePatch(): ToolFailure {
  return new ToolFailure(
    `${NAME} verification failed: patch detected without explicit call to ${NAME}. Rerun as ["${NAME}", "<patch>"]`,
  );
}

/** Longer ones are in the call already, and need not be in each thing that is told of it. */
const LONGEST_SHOWN = 64 * 1024;
const TOO_LONG = '[the patch is too long to be shown again]';

export function patchIntent(patch: Patch, base: AbsolutePath): Intent {
  const texts = patchTexts(patch);
  const isLong = texts.reduce((length, { text }) => length + text.length, 0) > LONGEST_SHOWN;
  const writes = texts.map(({ path, text }): Effect => ({
    kind: 'write',
    path: resolvePath(base, path),
    diff: isLong ? TOO_LONG : text,
  }));
  const reads = readPaths(patch).map((path): Effect => ({ kind: 'read', path: resolvePath(base, path) }));
  // What does not fit is answered with what stands there, and a copy brings it elsewhere.
  return { effects: [...writes, ...reads] };
}

export function presentPatch(patch: Patch): Presentation {
  const paths = touchedPaths(patch);
  const title = paths.length === 1 ? `Change ${paths[0]}` : `Change ${paths.length} files`;
  return { title, diff: patch.sections.map(({ text }) => text).join('\n') };
}

/** As if a program had run and ended. */
export type PatchRun = Run & { readonly exit: ProcessExit; readonly text: string };

/** Applies it in the words of a program: what does not fit is the model's to mend, what cannot be written failed. */
export async function runPatch(patch: Patch, base: AbsolutePath, scope: RunScope): Promise<PatchRun> {
  const started = scope.now();
  const { files } = scope.workspace;
  const plan = await planPatch(patch, base, (path) => readSource(files, path)).catch(failVerification);
  scope.signal.throwIfAborted();
  const output = scope.capture();
  const end = (code: number, text: string): PatchRun => {
    output.write(Buffer.from(text), code === 0 ? 'stdout' : 'stderr');
    return { exit: { kind: 'exited', code }, output, text, seconds: (scope.now() - started) / 1000 };
  };
  try {
    await files.change(plan.changes);
    return end(0, successText(plan));
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    return end(1, `Failed to write file ${error.message}\n`);
  }
}

function verified(parse: () => Patch): Patch {
  try {
    return parse();
  } catch (error) {
    return failVerification(error);
  }
}

/** The words that models know for a patch that does not fit. */
function failVerification(error: unknown): never {
  if (!(error instanceof PatchError) || error.kind === 'empty') throw error;
  const known = error.kind === 'environment' ? `${NAME} ` : `${NAME} verification failed: `;
  throw new ToolFailure(known + error.message, { cause: error });
}

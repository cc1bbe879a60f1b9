/**
 * Models were taught to hand patches over through a shell. A command that does nothing but that is not run: its patch is
 * judged and applied like any other, and answered in the words of the tool that was called.
 */
import type { Payload } from '../core/call.js';
import { ToolFailure } from '../core/errors.js';
import type { ToolOutput } from '../core/output.js';
import { resolvePath } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';
import type { RunScope, Tool } from '../core/tool.js';
import type { Workspace } from '../core/workspace.js';
import { handedText, scriptIn } from '../shell/handed-text.js';
import type { CommandLine } from '../shell/handed-text.js';
import type { Patch } from '../patch/patch.js';
import { PATCH_PROGRAMS, barePatch, parseHanded, patchIntent, presentPatch, runPatch } from './apply-patch.js';
import type { PatchRun } from './apply-patch.js';

export type CommandOrPatch<Command> = {
  readonly command: Command;
  /** Present when the command does nothing but hand it over. */
  readonly handed?: { readonly patch: Patch; readonly folder: string | undefined };
};

export type PatchTaking<Command> = {
  readonly lineOf: (command: Command) => CommandLine;
  readonly folderOf: (command: Command, workspace: Workspace) => AbsolutePath;
  readonly answer: (run: PatchRun, command: Command, scope: RunScope) => ToolOutput;
};

export function takingPatches<Command>(
  tool: Tool<Command>,
  { lineOf, folderOf, answer }: PatchTaking<Command>,
): Tool<CommandOrPatch<Command>> {
  const baseOf = ({ command, handed }: CommandOrPatch<Command>, workspace: Workspace): AbsolutePath => {
    const cwd = folderOf(command, workspace);
    return handed?.folder === undefined ? cwd : resolvePath(cwd, handed.folder);
  };
  return {
    ...tool,
    concurrency: (payload) => (mayHandOne(payload) ? 'exclusive' : 'shared'),
    parse(payload) {
      const command = tool.parse(payload);
      const handed = handedText(lineOf(command), PATCH_PROGRAMS);
      if (handed) return { command, handed: { patch: parseHanded(handed.text), folder: handed.folder } };
      refuseBarePatch(lineOf(command));
      return { command };
    },
    intent(request, workspace) {
      const { command, handed } = request;
      const asked = tool.intent(command, workspace);
      return handed ? { ...asked, ...patchIntent(handed.patch, baseOf(request, workspace)) } : asked;
    },
    present: ({ command, handed }) =>
      handed ? presentPatch(handed.patch) : (tool.present?.(command) ?? { title: tool.spec.name }),
    async run(request, scope) {
      const { command, handed } = request;
      if (handed === undefined) return tool.run(command, scope);
      if (handed.folder !== undefined) await mustBeThere(handed.folder, baseOf(request, scope.workspace), scope);
      return answer(await runPatch(handed.patch, baseOf(request, scope.workspace), scope), command, scope);
    },
  };
}

/** A shell would not get any further than `cd`. */
async function mustBeThere(given: string, folder: AbsolutePath, { workspace }: RunScope): Promise<void> {
  const entry = await workspace.files.look(folder);
  if (entry?.kind === 'folder' || entry?.kind === 'link') return;
  throw new ToolFailure(`cd: ${given}: ${entry === undefined ? 'No such file or directory' : 'Not a directory'}`);
}

/** Decided before anything is understood, so a command that only speaks of it runs alone too. */
function mayHandOne(payload: Payload): boolean {
  const text = textOf(payload);
  // Any letter may be written as an escape.
  return text.includes('\\u') || PATCH_PROGRAMS.some((program) => text.includes(program));
}

function textOf(payload: Payload): string {
  if (payload.kind === 'function') return payload.arguments;
  return payload.kind === 'custom' ? payload.input : payload.argv.join('\n');
}

/** A shell would take the patch for commands. */
function refuseBarePatch(line: CommandLine): void {
  if (scriptIn(line)?.trimStart().startsWith('*** Begin Patch')) throw barePatch();
}

/** Makes a file, or replaces all that is in one. */
import { describe, object, string } from 'zod/mini';
import type { z } from 'zod/mini';

import { defineTool } from '../core/define-tool.js';
import { ToolFailure } from '../core/errors.js';
import { FileProblem } from '../core/file-problem.js';
import type { Files, FileState } from '../core/files.js';
import { textOutput } from '../core/output.js';
import type { ToolOutput } from '../core/output.js';
import { resolvePath } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';
import { readState, readWhole } from '../core/read-state.js';
import type { RunScope } from '../core/tool.js';

const input = () =>
  object({
    path: string().check(describe('File to write, relative to the workspace or absolute. Missing folders are made.')),
    content: string().check(describe('Everything that the file will hold.')),
  });

export const writeFile = defineTool({
  name: 'write_file',
  description:
    'Writes a whole file: makes it, or replaces all that was in it. To change a part of a file, send a patch instead.',
  input,
  example: '{"path": "notes.txt", "content": "first line\\n"}',
  parameterAliases: { file_path: 'path', text: 'content', contents: 'content' },
  intent: ({ path }, workspace) => ({ effects: [{ kind: 'write', path: resolvePath(workspace.cwd, path) }] }),
  present: ({ path, content }) => ({ title: `Write ${path}`, diff: content.replaceAll(/^/gm, '+') }),
  run: replaceContent,
});

async function replaceContent(
  { path, content }: z.infer<ReturnType<typeof input>>,
  scope: RunScope,
): Promise<ToolOutput> {
  const { files, cwd } = scope.workspace;
  const target = resolvePath(cwd, path);
  const bytes = Buffer.from(content);
  try {
    const before = await stateOf(files, target);
    await files.change([{ path: target, before, after: { kind: 'file', content: bytes } }]);
    return textOutput(answer(path, before, bytes), { details: { path: target, bytes: bytes.length } });
  } catch (error) {
    if (error instanceof FileProblem) throw new ToolFailure(`failed to write file: ${error.message}`, { cause: error });
    throw error;
  }
}

/** What a link leads to is what would be replaced, and where it leads nowhere, the link itself. */
async function stateOf(files: Files, path: AbsolutePath): Promise<FileState> {
  try {
    return { kind: 'file', content: await readWhole(files, path) };
  } catch (error) {
    if (error instanceof FileProblem && error.kind === 'missing') return readState(files, path);
    throw error;
  }
}

function answer(path: string, before: FileState, bytes: Uint8Array): string {
  const size = `${bytes.length} ${bytes.length === 1 ? 'byte' : 'bytes'}`;
  if (before.kind === 'link') return `Wrote ${path}: ${size}, in place of a link that led nowhere.`;
  if (before.kind !== 'file') return `Wrote ${path}: ${size}, a new file.`;
  return Buffer.compare(before.content, bytes) === 0
    ? `${path} holds exactly that already.`
    : `Wrote ${path}: ${size}, in place of ${before.content.length}.`;
}

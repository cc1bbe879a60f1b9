/** Shows a model an image from a file. What the file is, its content tells, never its name. */
import { describe, object, optional, string } from 'zod/mini';
import type { z } from 'zod/mini';

import { defineTool } from '../core/define-tool.js';
import { ToolFailure } from '../core/errors.js';
import { FileProblem } from '../core/file-problem.js';
import type { OpenFile } from '../core/files.js';
import type { ImageDetail, ToolOutput } from '../core/output.js';
import { resolvePath } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';
import { contentOf } from '../core/read-state.js';
import type { RunScope } from '../core/tool.js';
import type { PreparedImage } from './prepare-image.js';

const MAX_FILE_BYTES = 50_000_000;

/** The longest side of what is sent. */
const LONGEST_SIDE = { high: 2_048, original: 6_000 } as const;

const input = () =>
  object({
    path: string().check(describe('Image file to view, relative to the workspace or absolute.')),
    detail: optional(
      string().check(
        describe(
          `high (default) makes images smaller that are larger than ${LONGEST_SIDE.high} pixels; original keeps their size.`,
        ),
      ),
    ),
  });

type ViewImageInput = z.infer<ReturnType<typeof input>>;

export const viewImage = defineTool({
  name: 'view_image',
  description: 'Shows you an image from a file: PNG, JPEG, GIF (its first frame), WebP or BMP.',
  input,
  concurrency: 'shared',
  offer: ({ images }) => (images ? 'advertised' : 'callable'),
  advice: 'When it matters how an image looks, see for yourself with view_image.',
  example: '{"path": "screenshot.png"}',
  parameterAliases: { image_path: 'path', file_path: 'path' },
  intent: ({ path }, workspace) => ({ effects: [{ kind: 'read', path: resolvePath(workspace.cwd, path) }] }),
  present: ({ path }) => ({ title: `View ${path}` }),
  run: showImage,
});

async function showImage({ path: given, detail = 'high' }: ViewImageInput, scope: RunScope): Promise<ToolOutput> {
  if (detail !== 'high' && detail !== 'original') {
    throw new ToolFailure(
      'view_image.detail only supports `high` or `original`; omit `detail` for default high resized behavior, ' +
        `got \`${detail}\``,
    );
  }
  const maxSide = LONGEST_SIDE[detail];
  const path = resolvePath(scope.workspace.cwd, given);
  const { prepareImage } = await import('./prepare-image.js');
  const bytes = await readWhole(path, maxSide, scope);
  return answerWith(await prepareImage({ path, bytes }, maxSide, scope), detail);
}

async function readWhole(path: AbsolutePath, maxSide: number, scope: RunScope): Promise<Buffer> {
  const file = await openImage(path, scope);
  try {
    if (file.size > MAX_FILE_BYTES) throw await tooManyBytes(path, file.size, maxSide);
    return await contentOf(file);
  } finally {
    await file.close();
  }
}

async function openImage(path: AbsolutePath, { workspace }: RunScope): Promise<OpenFile> {
  try {
    return await workspace.files.open(path);
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    throw new ToolFailure(openingProblem(path, error), { cause: error });
  }
}

function openingProblem(path: AbsolutePath, { kind, words }: FileProblem): string {
  if (kind === 'folder' || kind === 'special') return `image path \`${path}\` is not a file`;
  return `unable to locate image at \`${path}\`: ${words}`;
}

async function tooManyBytes(path: AbsolutePath, size: number, maxSide: number): Promise<ToolFailure> {
  const { inMegabytes, smallerCopy } = await import('./prepare-image.js');
  return new ToolFailure(
    `unable to process image: the file has ${inMegabytes(size)}, and at most ${inMegabytes(MAX_FILE_BYTES)} are read. ` +
      smallerCopy(path, maxSide),
  );
}

function answerWith({ source, format, bytes, width, height }: PreparedImage, detail: ImageDetail): ToolOutput {
  const notes = [
    ...(source.width === width && source.height === height
      ? []
      : [`[resized from ${source.width}x${source.height} to ${width}x${height}]`]),
    ...(source.animated ? ['[this is the first frame of an animation]'] : []),
  ];
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
  return {
    content: [
      { kind: 'image', mediaType: `image/${format}`, base64, detail },
      ...(notes.length === 0 ? [] : [{ kind: 'text' as const, text: notes.join('\n') }]),
    ],
    details: { format, width, height, bytes: bytes.length, detail, source: { ...source } },
  };
}

import { execFileSync } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import sharp from 'sharp';
import { describe, expect, onTestFinished, test } from 'vitest';

import { absolutePath } from '../../src/core/paths.js';
import type { Workspace } from '../../src/core/workspace.js';
import { createLocalWorkspace } from '../../src/exec/local-workspace.js';
import { scaleImageCommand } from '../../src/exec/scale-image.js';
import { createRuntime } from '../../src/index.js';
import type { CallResult } from '../../src/index.js';
import { createMemoryWorkspace } from '../../src/testing/index.js';
import { viewImage } from '../../src/tools/view-image.js';
import { animation } from '../images/animation.js';
import { writeBmp } from '../images/write-bmp.js';
import { functionCall, latch, testRuntime, textOf } from '../support/runtime.js';
import { tempFolder } from '../support/temp-folder.js';

type Content = Uint8Array | string;

type Setup = {
  /** What makes images smaller: the real one unless told otherwise. */
  readonly companion?: Workspace['companion'];
  readonly around?: (workspace: Workspace) => Workspace;
  readonly signal?: AbortSignal;
};

/** Views `file` in a folder that holds nothing else. */
async function view(content: Content, args: object = {}, setup: Setup = {}): Promise<CallResult> {
  const folder = tempFolder();
  writeFileSync(path.join(folder, 'file'), content);
  return viewIn(folder, { path: 'file', ...args }, setup);
}

async function viewIn(folder: string, args: object, setup: Setup = {}): Promise<CallResult> {
  const { companion = scaleImageCommand, around = (each) => each, signal } = setup;
  const local = createLocalWorkspace(absolutePath(folder));
  onTestFinished(() => local.close());
  const runtime = testRuntime({ tools: [viewImage], workspace: around({ ...local, companion }) });
  return runtime.runCall({ name: 'view_image', payload: functionCall(args) }, signal && { signal });
}

/** The image, and the words after it. */
function seen({ answer }: CallResult) {
  const [image, ...rest] = answer.content;
  if (image?.kind !== 'image') throw new Error(`no image: ${textOf({ answer } as CallResult)}`);
  return {
    mediaType: image.mediaType,
    bytes: Buffer.from(image.base64, 'base64'),
    words: rest.map((part) => (part.kind === 'text' ? part.text : part.kind)),
  };
}

const plain = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: 'teal' } });

/** As no way of packing can make it smaller. */
function noise(width: number, height: number) {
  let state = 1;
  const bytes = Uint8Array.from({ length: width * height * 3 }, () => (state = (state * 48_271) % 2_147_483_647) >> 8);
  return sharp(bytes, { raw: { width, height, channels: 3 } });
}

const programOf =
  (script: string): Workspace['companion'] =>
  async () => [process.execPath, '-e', script, '--'];
const INVALID = 'unable to process image: invalid or unsupported image data';
const MAKE_SMALLER = 'Make a smaller copy with a command and view that, for example: convert';

describe('an image that is small enough', () => {
  test.each(['png', 'jpeg', 'gif', 'webp'] as const)('of %s is sent as it is, whatever its name', async (format) => {
    const file = await plain(40, 30).toFormat(format).toBuffer();
    const result = await view(file, {}, { companion: async () => undefined });
    expect(seen(result)).toEqual({ mediaType: `image/${format}`, bytes: file, words: [] });
    expect(result.outcome).toMatchObject({
      output: { details: { format, width: 40, height: 30, bytes: file.length, detail: 'high' } },
    });
  });

  test('of BMP is sent as a PNG', async () => {
    const bmp = writeBmp({ width: 2, height: 1, bits: 24, pixels: [[0xff0000, 0x0000ff]] });
    const { mediaType, bytes, words } = seen(await view(bmp, {}, { companion: async () => undefined }));
    expect({ mediaType, words }).toEqual({ mediaType: 'image/png', words: [] });
    expect([...(await sharp(bytes).raw().toBuffer())]).toEqual([255, 0, 0, 0, 0, 255]);
  });

  test.each(['image_path', 'file_path'])('is found under %s, too', async (name) => {
    const folder = tempFolder();
    await plain(4, 3).png().toFile(path.join(folder, 'a.png'));
    expect(seen(await viewIn(folder, { [name]: path.join(folder, 'a.png') })).mediaType).toBe('image/png');
  });

  test('is seen in a workspace without a disk', async () => {
    const workspace = createMemoryWorkspace({ files: { 'a.png': await plain(4, 3).png().toBuffer() } });
    const runtime = testRuntime({ tools: [viewImage], workspace });
    const result = await runtime.runCall({ name: 'view_image', payload: functionCall({ path: 'a.png' }) });
    expect(seen(result).mediaType).toBe('image/png');
  });
});

describe('an image that is too large', () => {
  test.each(['png', 'webp'] as const)('of %s is made smaller, and the model is told', async (format) => {
    const { bytes, words } = seen(await view(await plain(3000, 25).toFormat(format).toBuffer()));
    expect(words).toEqual(['[resized from 3000x25 to 2048x17]']);
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 2048, height: 17 });
  });

  test('of BMP is made smaller without any help', async () => {
    const pixels = Array.from({ length: 20 }, () => Array.from({ length: 4096 }, (_, x) => x));
    const bmp = writeBmp({ width: 4096, height: 20, bits: 24, pixels });
    const { bytes, words } = seen(await view(bmp, {}, { companion: async () => undefined }));
    expect(words).toEqual(['[resized from 4096x20 to 2048x10]']);
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: 2048, height: 10 });
  });

  test('keeps its size with detail original, up to 6000 pixels', async () => {
    const file = await plain(3000, 25).png().toBuffer();
    expect(seen(await view(file, { detail: 'original' }))).toEqual({ mediaType: 'image/png', bytes: file, words: [] });
    const larger = await plain(7000, 70).png().toBuffer();
    expect(seen(await view(larger, { detail: 'original' })).words).toEqual(['[resized from 7000x70 to 6000x60]']);
  });

  test('in bytes alone keeps its size if it can', async () => {
    const file = await noise(1300, 1000).png().toBuffer();
    expect(file.length).toBeGreaterThan(3_500_000);
    const { mediaType, bytes, words } = seen(await view(file));
    expect({ mediaType, words }).toEqual({ mediaType: 'image/jpeg', words: [] });
    expect(bytes.length).toBeLessThanOrEqual(3_500_000);
  });

  test('is refused with its size where nothing can make it smaller', async () => {
    const folder = tempFolder();
    await plain(3000, 25).png().toFile(path.join(folder, 'a.png'));
    const refused = await viewIn(folder, { path: 'a.png' }, { companion: async () => undefined });
    expect(textOf(refused)).toBe(
      'unable to process image: it is a PNG of 3000x25 pixels and 0.1 MB; at most 2048 pixels a side and 3.5 MB of ' +
        `a still image can be sent, and nothing here can make it smaller. ${MAKE_SMALLER} '${folder}/a.png''[0]' ` +
        "-resize '2048x2048>' /tmp/smaller.png",
    );
    expect(refused.answer.success).toBe(false);
  });

  test.each([
    ['fails', 'process.exit(3)', 'failed (exit code 3)'],
    ['gives back no image', 'console.log(\'{"bytes":3}\\nabc\')', 'failed (it gave back something else'],
    ['gives back too large an image', 'ANSWER', 'failed (it gave back something else'],
    ['gives back nothing', '', 'failed (it gave back something else'],
    [
      'never ends printing',
      'setInterval(() => console.log("x".repeat(1e6)), 0)',
      'failed (it took too long or printed too much',
    ],
  ])('is refused where what makes it smaller %s', async (_, script, reason) => {
    const file = await plain(3000, 25).png().toBuffer();
    const answer = `const b = require("node:fs").readFileSync(process.argv[1]);
      console.log(JSON.stringify({ bytes: b.length })); process.stdout.write(b)`;
    const companion = programOf(script === 'ANSWER' ? answer : script);
    const text = textOf(await view(file, {}, { companion }));
    expect(text).toContain(`can be sent, and the program that makes images smaller ${reason}`);
    expect(text).toContain(MAKE_SMALLER);
  });

  test('is refused where that program cannot be started', async () => {
    const file = await plain(3000, 25).png().toBuffer();
    const text = textOf(await view(file, {}, { companion: async () => ['/nowhere/node'] }));
    expect(text).toContain('and the program that makes images smaller failed (');
  });

  test('is not decoded at all from 100 megapixels on', async () => {
    const bmp = writeBmp({ width: 20_000, height: 5_001, bits: 8, compression: 1, pixels: Uint8Array.from([0, 1]) });
    expect(textOf(await view(bmp))).toContain(
      'it is a BMP of 20000x5001 pixels and 0.1 MB; at most 2048 pixels a side and 3.5 MB of a still image can be ' +
        `sent, and so large an image is not decoded here. ${MAKE_SMALLER}`,
    );
  });

  test('is not read at all from 50 MB on', async () => {
    const folder = tempFolder();
    writeFileSync(path.join(folder, "it's.png"), await plain(4, 3).png().toBuffer());
    truncateSync(path.join(folder, "it's.png"), 50_000_001);
    expect(textOf(await viewIn(folder, { path: "it's.png" }))).toBe(
      'unable to process image: the file has 50.1 MB, and at most 50.0 MB are read. ' +
        `${MAKE_SMALLER} '${folder}/it'\\''s.png''[0]' -resize '2048x2048>' /tmp/smaller.png`,
    );
  });

  test('is given up with everything that was started when the call is cancelled', async () => {
    const started = latch<{ readonly exit: Promise<unknown> }>();
    const controller = new AbortController();
    const around = (workspace: Workspace): Workspace => ({
      ...workspace,
      async spawn(command) {
        const process = await workspace.spawn(command);
        started.open(process);
        return process;
      },
    });
    const companion = programOf('setInterval(() => {}, 1000)');
    const file = await plain(3000, 25).png().toBuffer();
    const call = view(file, {}, { companion, around, signal: controller.signal });
    const process = await started.opened;
    controller.abort();
    expect((await call).outcome).toMatchObject({ kind: 'aborted' });
    expect(await process.exit).toMatchObject({ kind: 'signalled' });
  });
});

describe('an animation', () => {
  test('of GIF is sent as its first frame without any help', async () => {
    const file = await animation('gif');
    const { mediaType, bytes, words } = seen(await view(file, {}, { companion: async () => undefined }));
    expect({ mediaType, words }).toEqual({
      mediaType: 'image/gif',
      words: ['[this is the first frame of an animation]'],
    });
    expect((await sharp(bytes, { animated: true }).metadata()).pages ?? 1).toBe(1);
  });

  test('of WebP is sent as its first frame', async () => {
    const file = await animation('webp');
    expect(seen(await view(file))).toMatchObject({
      mediaType: 'image/png',
      words: ['[this is the first frame of an animation]'],
    });
    expect(textOf(await view(file, {}, { companion: async () => undefined }))).toContain(
      'it is an animated WEBP of 8x6 pixels',
    );
  });
});

describe('what cannot be shown', () => {
  test('a file that is not there', async () => {
    const folder = tempFolder();
    expect(textOf(await viewIn(folder, { path: 'nope.png' }))).toBe(
      `unable to locate image at \`${folder}/nope.png\`: no such file`,
    );
  });

  test('a folder, or a pipe', async () => {
    const folder = tempFolder();
    mkdirSync(path.join(folder, 'sub'));
    execFileSync('mkfifo', [path.join(folder, 'pipe')]);
    for (const name of ['sub', 'pipe']) {
      expect(textOf(await viewIn(folder, { path: name }))).toBe(`image path \`${folder}/${name}\` is not a file`);
    }
  });

  test.each([
    ['bytes of no kind', '\x01\x02\x03', ''],
    ['text', 'no image', '. The file is a text file: read it as text.'],
    ['nothing', '', '. The file is empty: look whether it is the right file.'],
    [
      'a document',
      '%PDF-1.7',
      '. The file is a PDF document: render a page as PNG with a command first and view that.',
    ],
    [
      'a drawing',
      '<svg xmlns="http://www.w3.org/2000/svg"/>',
      '. The file is an SVG drawing: read it as text, or render it as PNG with a command and view that.',
    ],
  ])('%s', async (_, content, words) => {
    expect(textOf(await view(content))).toBe(INVALID + words);
  });

  test.each([
    ['png', 40],
    ['jpeg', 40],
    ['gif', 40],
    ['webp', 40],
    ['jpeg', 3000],
  ] as const)('a %s of %i pixels that is cut off', async (format, side) => {
    const file = await plain(side, 40).toFormat(format).toBuffer();
    expect(textOf(await view(file.subarray(0, -20)))).toBe(
      `${INVALID}. The file begins like an image but is damaged, cut off or of an unusual kind: get or make it again.`,
    );
  });

  test.each(['low', 'auto', 'toString', ''])('with detail %j', async (detail) => {
    expect(textOf(await view('', { detail }))).toBe(
      'view_image.detail only supports `high` or `original`; omit `detail` for default high resized behavior, ' +
        `got \`${detail}\``,
    );
  });
});

test('a large image is made smaller inside of the sandbox', async () => {
  const root = tempFolder();
  const cwd = path.join(root, 'project');
  mkdirSync(cwd);
  await plain(3000, 2500).jpeg().toFile(path.join(cwd, 'large.jpg'));
  const runtime = createRuntime({ cwd, home: path.join(root, 'home'), builtinTools: [], tools: [viewImage] });
  onTestFinished(() => runtime.close());
  const result = await runtime.runCall({ name: 'view_image', payload: functionCall({ path: 'large.jpg' }) });
  expect(seen(result).words).toEqual(['[resized from 3000x2500 to 2048x1707]']);
});

/** The images of `--image`, as a model is sent them: read, checked and made smaller by the tool that views images. */
import { existsSync } from 'node:fs';
import path from 'node:path';

import { answerText, createRuntime, viewImage } from '../../index.js';
import type { ContentPart, Runtime } from '../../index.js';
import { UsageError } from '../usage-error.js';

/** Throws a `UsageError` for the first that cannot be sent. */
export async function readImages(given: readonly string[]): Promise<readonly ContentPart[]> {
  const files = given.flatMap(namesIn);
  if (files.length === 0) return [];
  // They are the user's own choice, so nothing but a rule of theirs stands in the way.
  const runtime = createRuntime({ sandboxMode: 'danger-full-access', approvalPolicy: 'never', keepChanges: false });
  try {
    const parts: ContentPart[] = [];
    for (const [index, file] of files.entries()) parts.push(...(await imageParts(file, index + 1, runtime)));
    return parts;
  } finally {
    await runtime.close();
  }
}

/** A list with commas between, unless a file is called just that. */
function namesIn(given: string): readonly string[] {
  return existsSync(given) ? [given] : given.split(',').filter((name) => name !== '');
}

async function imageParts(file: string, number: number, runtime: Runtime): Promise<readonly ContentPart[]> {
  const absolute = path.resolve(file);
  const { answer } = await runtime.runCall({
    name: viewImage.spec.name,
    payload: { kind: 'function', arguments: JSON.stringify({ path: absolute }) },
  });
  const image = answer.content.find(({ kind }) => kind === 'image');
  if (image === undefined) throw new UsageError(`--image ${file}: ${answerText(answer)}`);
  return [
    { kind: 'text', text: `<image name=[Image #${number}] path="${absolute}">` },
    image,
    { kind: 'text', text: '</image>' },
  ];
}

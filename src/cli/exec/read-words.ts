/** What the user says in a turn: the images of `--image`, and a text. */
import type { UserInput } from '../../index.js';
import type { ExecFlags } from './flags.js';

/** Images first, because that is where models expect them, and because nothing has to be waited for. */
export async function withImages(
  { image }: Pick<ExecFlags, 'image'>,
  readText: () => Promise<string>,
): Promise<UserInput> {
  if (image.length === 0) return readText();
  const { readImages } = await import('./read-images.js');
  const images = await readImages(image);
  return [...images, { kind: 'text', text: await readText() }];
}

/** The companion that makes images smaller, with an optional package that is not there for every platform. */
import { createRequire } from 'node:module';

import { SCALE_IMAGE_SCRIPT } from './scale-image-script.js';

/** Wants three more arguments: the file, the longest side in pixels and the most bytes. Undefined without the package. */
export async function scaleImageCommand(): Promise<readonly string[] | undefined> {
  try {
    const packagePath = createRequire(import.meta.url).resolve('sharp');
    return [process.execPath, '-e', SCALE_IMAGE_SCRIPT, '--', packagePath];
  } catch {
    return undefined;
  }
}

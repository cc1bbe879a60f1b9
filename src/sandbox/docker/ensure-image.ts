/** Gives an engine the image that containers start from, once. Its name says what is in it. */
import { createHash } from 'node:crypto';

import { ConfigError } from '../../core/errors.js';
import type { HostLayout } from './host-layout.js';
import { lastLine, runEngine } from './run-engine.js';
import type { EngineCall } from './run-engine.js';
import { skeletonTar } from './skeleton-tar.js';

const IMAGE_MS = 60_000;

export async function ensureImage(call: EngineCall, layout: HostLayout): Promise<string> {
  const tar = skeletonTar(layout);
  const image = `tenon-skeleton:${createHash('sha256').update(tar).digest('hex').slice(0, 16)}`;
  const found = await runEngine(call, ['image', 'inspect', image], { ms: IMAGE_MS });
  if (found.kind === 'ended' && found.code === 0) return image;
  const made = await runEngine(call, ['import', '-', image], { input: tar, ms: IMAGE_MS });
  if (made.kind === 'ended' && made.code === 0) return image;
  const reason = made.kind === 'ended' ? lastLine(made.errors) : 'it does not answer';
  throw new ConfigError(`${call.file} could not make an image for the sandbox: ${reason}`);
}

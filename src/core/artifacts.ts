/** The whole of outputs that are too large for the model. */
import type { AbsolutePath } from './paths.js';
import type { OpenFile } from './files.js';

export interface ArtifactStore {
  /** Opens a new artifact. Its methods throw when the disk does not take it. */
  create(label: string): ArtifactWriter;
  /** An artifact of this store for reading, wherever the workspace itself may be; undefined for any other path. */
  open(path: AbsolutePath): Promise<OpenFile> | undefined;
}

export interface ArtifactWriter {
  readonly path: string;
  write(chunk: Uint8Array): void;
  close(): void;
}

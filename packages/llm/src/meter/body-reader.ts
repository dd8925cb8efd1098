import type { Eventual } from '@sluice/core/values';

/** Reads the body of an answer as it passes. */
export interface BodyReader {
  /** Returns the chunk as text, if it was decoded by itself. */
  push(chunk: Uint8Array): string | undefined;
  /** Call it once after the last chunk. */
  end(): Eventual<void>;
}

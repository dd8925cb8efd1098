import type { Eventual } from '@sluice/core/http';

/** Reads the body of an answer as it passes. */
export interface BodyReader {
  push(chunk: Uint8Array): void;
  /** Call it once after the last chunk. */
  end(): Eventual<void>;
}

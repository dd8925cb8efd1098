import { createHash } from 'node:crypto';
import { SluiceError } from '@sluice/core';
import type { SourceText } from './source.js';

/** The largest text that a source reads: 100,000 customers need about half of it. */
export const MOST_BYTES = 16 * 1024 * 1024;

/** Enough digits that no two texts of one installation share them, and few enough to write by hand. */
const REVISION_DIGITS = 12;

/** Returns the revision of a text: the beginning of its SHA-256. */
export function revisionOf(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex').slice(0, REVISION_DIGITS);
}

/**
 * Reads bytes as text.
 *
 * @throws SluiceError `SLUICE_SOURCE` if they are too many, or no UTF-8
 */
export function sourceText(bytes: Uint8Array, origin: string): SourceText {
  if (bytes.byteLength > MOST_BYTES) throw tooLarge(origin);
  const text = decoded(bytes, origin);
  return { text, revision: revisionOf(text), origin };
}

/** The error for a text that nobody wrote by hand, and that would fill the memory. */
export function tooLarge(origin: string): SluiceError {
  return sourceError(origin, `is larger than ${MOST_BYTES / 1024 / 1024} MiB`);
}

/** The error of a source that has no text. */
export function sourceError(origin: string, what: string, cause?: unknown): SluiceError {
  return new SluiceError('SLUICE_SOURCE', `${origin} ${what}`, cause === undefined ? {} : { cause });
}

function decoded(bytes: Uint8Array, origin: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw sourceError(origin, 'is no UTF-8 text', cause);
  }
}

import { SluiceError } from '@sluice/core';

/** What a store answers; its failures are failures of the store, whatever it throws. */
export async function asked<T>(call: () => T | Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    throw failure(`failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

export function failure(what: string, details: { readonly cause?: unknown } = {}): SluiceError {
  return new SluiceError('SLUICE_STORE', `the store for express-rate-limit ${what}`, details);
}

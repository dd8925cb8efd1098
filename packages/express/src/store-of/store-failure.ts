import { SluiceError } from '@sluice/core';
import { reasonOf } from '@sluice/core/values';

/** Returns the result of a store. Whatever the store throws counts as a failure of the store. */
export async function asked<T>(call: () => T | Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    throw failure(`failed: ${reasonOf(cause)}`, { cause });
  }
}

export function failure(what: string, details: { readonly cause?: unknown } = {}): SluiceError {
  return new SluiceError('SLUICE_STORE', `the store for express-rate-limit ${what}`, details);
}

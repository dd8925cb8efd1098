import { STATUS_CODES } from 'node:http';
import { SluiceError, type SluiceErrorCode } from '@sluice/core';
import type { Refusal } from '@sluice/core/http';

/** The status of each error of Sluice that an operator can meet. Other errors are bugs, and get 500. */
const STATUS: Partial<Record<SluiceErrorCode, number>> = {
  SLUICE_OPTION: 400,
  SLUICE_KEY: 400,
  SLUICE_COST: 400,
  SLUICE_FULL: 409,
  SLUICE_UNSUPPORTED: 501,
  SLUICE_STORE: 503,
  SLUICE_SOURCE: 503,
  SLUICE_CLOSED: 503,
};

/** Returns the answer to a request that the store or the policies could not carry out; undefined if the error is none of Sluice. */
export function problemOf(error: unknown): Refusal | undefined {
  if (!(error instanceof SluiceError)) return undefined;
  const { code, message } = error;
  const status = STATUS[code];
  if (status === undefined) return undefined;
  const detail = message.slice(0, message.lastIndexOf(' ('));
  return {
    status,
    headers: { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' },
    body: JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status], status, detail, code }),
  };
}

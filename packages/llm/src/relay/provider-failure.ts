import { dialectOf } from '../dialects/dialects.js';
import type { Format } from '../dialects/format.js';

/** Statuses by which a provider refuses the account of the gateway: the client cannot do anything about it. */
const ABOUT_THE_ACCOUNT: ReadonlySet<number> = new Set([401, 402, 407]);

/** Whether a refusal concerns the gateway alone. Its text may name the key. */
export function isAboutTheAccount({ status }: Response): boolean {
  return ABOUT_THE_ACCOUNT.has(status);
}

/** Returns the answer if the provider gave none that can be passed on, in the words of its dialect. */
export function providerFailure(format: Format, error?: unknown): Response {
  const isTimeout = (Object(error) as { name?: unknown }).name === 'TimeoutError';
  const status = isTimeout ? 504 : 502;
  const message = isTimeout ? 'The model did not answer in time.' : 'The model cannot be reached.';
  const { vendor } = dialectOf(format);
  const body = JSON.stringify(vendor.errorBody({ kind: isTimeout ? 'timeout' : 'unreachable', status, message }));
  const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
  return new Response(body, { status, headers });
}

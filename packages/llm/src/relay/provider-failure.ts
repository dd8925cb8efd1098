import type { Format } from '../call/llm-call.js';

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
  const details =
    format === 'anthropic-messages'
      ? { type: 'error', error: { type: 'api_error', message } }
      : { error: { message, type: 'server_error', param: null, code: 'upstream_error' } };
  const body = JSON.stringify(details);
  const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
  return new Response(body, { status, headers });
}

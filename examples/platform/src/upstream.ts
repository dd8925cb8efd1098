import { limitedFetch } from '@sluice/client';
import type { Store } from '@sluice/core';

/** Sends a call to a provider. */
export type Ask = (path: string, body: string, signal: AbortSignal) => Promise<Response>;

/**
 * Asks one provider after the other until one answers. The client keeps the limits that each of them states, for all processes together,
 * and does not send to one that fails: its breaker refuses at once, so a dead provider costs a caller nothing.
 */
export function createUpstream(urls: readonly string[], store: Store): Ask {
  const api = limitedFetch({ name: 'providers', store, maxWait: '2s', retry: false });
  return async (path, body, signal) => {
    let failure: unknown;
    /** The last answer of a provider that has failed: its error costs nothing, as the limits know. */
    let refusal: Response | undefined;
    for (const url of urls) {
      try {
        const response = await api(`${url}${path}`, {
          method: 'POST',
          // The key of the provider belongs here. The customer's own key never leaves the platform.
          headers: { 'content-type': 'application/json', authorization: 'Bearer the-key-of-the-platform' },
          body,
          signal,
        });
        if (response.status < 500 && response.status !== 429) {
          await refusal?.body?.cancel();
          return response;
        }
        await refusal?.body?.cancel();
        refusal = response;
      } catch (error) {
        if (signal.aborted) throw error;
        failure = error;
      }
    }
    if (refusal) return refusal;
    throw failure;
  };
}

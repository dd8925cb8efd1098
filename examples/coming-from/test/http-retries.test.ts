import { expect, it } from '@jest/globals';
import { createApi } from '../src/http-retries.js';
import { describeOnEachStore } from './each-store.js';

describeOnEachStore((stage) => {
  /** A server that refuses its second request for so many seconds. */
  function serverThatRefuses(retryAfter: string): { readonly send: typeof fetch; calls(): number } {
    let calls = 0;
    const send: typeof fetch = async () => {
      calls += 1;
      if (calls !== 2) return new Response('fine');
      return new Response('later', { status: 429, headers: { 'retry-after': retryAfter } });
    };
    return { send, calls: () => calls };
  }

  it('HTTP clients that retry: a refusal that lasts too long ends the call, and stops all others', async () => {
    const { send, calls } = serverThatRefuses('60');
    const api = createApi(stage.store, send);
    expect((await api('http://api.example/')).status).toBe(200);
    expect((await api('http://api.example/')).status).toBe(429);
    await expect(api('http://api.example/')).rejects.toMatchObject({ code: 'SLUICE_REFUSED' });
    expect(calls()).toBe(2);
    stage.clock.advance('67s');
    expect((await api('http://api.example/')).status).toBe(200);
  });
});

import { describe, expect, it } from '@jest/globals';
import { type Key, MemoryStore, slidingWindow } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { type LimitedFetchOptions, limitedFetch } from '../src/index.js';
import { ScriptedFetch } from './scripted-fetch.js';

const ONE_A_MINUTE = slidingWindow({ limit: 1, window: '1m' });

/** A client that may send one request a minute for each key, and does not wait. */
function clientOf(options: LimitedFetchOptions = {}) {
  const clock = new ManualClock();
  const server = new ScriptedFetch(clock, 200);
  const store = new MemoryStore({ clock });
  return { server, api: limitedFetch({ fetch: server.fetch, store, limit: ONE_A_MINUTE, maxWait: 0, ...options }) };
}

const REFUSED = { code: 'SLUICE_REFUSED', retryAfterMs: 60_000 };

describe('the default key', () => {
  const url = 'https://a.example/x';

  it.each<[what: string, input: string | Request, init: RequestInit]>([
    ['the host', 'https://b.example/x', {}],
    ['the port', 'https://a.example:8443/x', {}],
    ['the scheme', 'http://a.example/x', {}],
    ['the credentials', url, { headers: { Authorization: 'Bearer 1' } }],
    ['the key of Anthropic', url, { headers: { 'X-Api-Key': '1' } }],
    ['the key of Azure', url, { headers: { 'api-key': '1' } }],
    ['the key of Google', url, { headers: { 'x-goog-api-key': '1' } }],
    ['the token of GitLab', url, { headers: { 'Private-Token': '1' } }],
    ['who has signed', url, { headers: { Authorization: 'Digest username="ann", nonce="1", response="a"' } }],
    ['the credentials of a Request', new Request(url, { headers: { Authorization: 'Bearer 2' } }), {}],
  ])('tells %s apart', async (_what, input, init) => {
    const { api } = clientOf();
    await api(url);
    await expect(api(input, init)).resolves.toMatchObject({ status: 200 });
    await expect(api(input, init)).rejects.toMatchObject(REFUSED);
  });

  it.each<[what: string, input: string | URL | Request, init: RequestInit]>([
    ['the path', 'https://a.example/y?z', {}],
    ['the method', url, { method: 'POST', body: 'text' }],
    ['other fields', url, { headers: { accept: 'text/plain' } }],
    ['the kind of the input', new URL(url), {}],
    ['the kind of the input', new Request(url), {}],
  ])('does not depend on %s', async (_what, input, init) => {
    const { api, server } = clientOf();
    await api(url);
    await expect(api(input, init)).rejects.toMatchObject(REFUSED);
    expect(server.calls).toBe(1);
  });
});

describe('the default key of signed requests', () => {
  it.each<[scheme: string, authorization: (signature: string, who: string) => string]>([
    [
      'AWS',
      (signature, who) =>
        `AWS4-HMAC-SHA256 Credential=${who}/2026010${signature}/us-east-1/s3/aws4_request, Signature=${signature}`,
    ],
    ['OAuth 1', (signature, who) => `OAuth oauth_nonce="${signature}", oauth_consumer_key="app", oauth_token="${who}"`],
    ['Digest', (signature, who) => `Digest username="${who}", nonce="${signature}", response="${signature}"`],
    ['Hawk', (signature, who) => `Hawk id="${who}", ts="${signature}", mac="${signature}"`],
    ['a signature', (signature, who) => `Signature keyId="${who}",signature="${signature}"`],
  ])('of %s is the account, not the signature', async (_scheme, authorization) => {
    const { api, server } = clientOf();
    const call = (signature: string, who: string) =>
      api('https://a.example/', { headers: { authorization: authorization(signature, who) } });
    await call('1', 'ann');
    await expect(call('2', 'ann')).rejects.toMatchObject(REFUSED);
    await call('3', 'bob');
    expect(server.calls).toBe(2);
  });

  it('does not mistake a token for a signature', async () => {
    const { api, server } = clientOf();
    for (const authorization of ['OAuth token1', 'OAuth token2', 'Bearer id="a" 1', 'Bearer id="a" 2'])
      await api('https://a.example/', { headers: { authorization } });
    expect(server.calls).toBe(4);
  });
});

describe('a key of your own', () => {
  it.each<[what: string, key: (request: Request) => Key | Promise<Key>]>([
    ['at once', ({ headers }) => headers.get('x-account') ?? 'nobody'],
    ['later', async ({ headers }) => headers.get('x-account') ?? 'nobody'],
  ])('comes %s', async (_what, key) => {
    const { api } = clientOf({ key });
    await api('https://a.example/', { headers: { 'x-account': 'ann' } });
    await api('https://a.example/', { headers: { 'x-account': 'bob' } });
    await expect(api('https://b.example/', { headers: { 'x-account': 'ann' } })).rejects.toMatchObject(REFUSED);
  });

  it('that is missing, or fails, lets nothing be sent', async () => {
    const wrong = clientOf({ key: () => undefined as unknown as Key });
    await expect(wrong.api('https://a.example/')).rejects.toMatchObject({ code: 'SLUICE_KEY' });
    const failing = clientOf({ key: () => Promise.reject(new Error('no account')) });
    await expect(failing.api('https://a.example/')).rejects.toThrow('no account');
    expect([wrong.server.calls, failing.server.calls]).toEqual([0, 0]);
  });

  it('is not asked about a URL that fetch refuses, too', async () => {
    const { api, server } = clientOf();
    await expect(api('not a url')).rejects.toMatchObject({ name: 'TypeError' });
    await expect(api('https://a.example/', { method: 'no method' })).rejects.toMatchObject({ name: 'TypeError' });
    expect(server.calls).toBe(0);
  });
});

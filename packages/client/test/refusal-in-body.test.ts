import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { MemoryStore } from '@sluice/core';
import { QueueClock } from '@sluice/test-kit/queue-clock';
import { runByClock } from '@sluice/test-kit/run-by-clock';
import { limitedFetch } from '../src/index.js';
import { ScriptedServer } from './scripted-server.js';

/** An error as the APIs of Google write it, with details that state this delay. */
function refusal(retryDelay: unknown): string {
  const details = [
    { '@type': 'type.googleapis.com/google.rpc.Help', links: [] },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay },
  ];
  return JSON.stringify({
    error: { code: 429, message: 'too many – zu viele', status: 'RESOURCE_EXHAUSTED', details },
  });
}

const JSON_FIELDS = { 'content-type': 'application/json; charset=UTF-8' };

/** How long after a first answer the second request came, over a real server. */
async function pauseAfter(status: number, body: string | Buffer, headers: Record<string, string>): Promise<number> {
  const clock = new QueueClock();
  const server = await ScriptedServer.open(clock, [{ status, body, headers }]);
  try {
    const api = limitedFetch({ store: new MemoryStore({ clock }), random: () => 0 });
    const response = await runByClock(clock, api(server.origin));
    expect(await response.text()).toBe('fine');
    return server.timesMs[1] as number;
  } finally {
    server.close();
  }
}

const lengthOf = (body: string): Record<string, string> => ({ 'content-length': `${Buffer.byteLength(body)}` });

describe('a delay in the body of a refusal', () => {
  it.each<[what: string, body: string, delayMs: number]>([
    ['whole seconds', refusal('22s'), 22_000],
    ['a part of a second', refusal('3.5s'), 3500],
    ['a list', `[${refusal('7s')}]`, 7000],
  ])('is obeyed: %s', async (_what, body, delayMs) => {
    for (const status of [429, 503]) {
      const waitedMs = await pauseAfter(status, body, { ...JSON_FIELDS, ...lengthOf(body) });
      expect(waitedMs).toBeGreaterThanOrEqual(delayMs);
      expect(waitedMs).toBeLessThan(delayMs + 1100);
    }
  });

  it('is obeyed if the body has no stated length, and is compressed', async () => {
    const body = gzipSync(refusal('22s'));
    const compressed = { ...JSON_FIELDS, 'content-encoding': 'gzip', 'transfer-encoding': 'chunked' };
    expect(await pauseAfter(429, body, compressed)).toBeGreaterThanOrEqual(22_000);
  });

  it.each<[what: string, status: number, body: string, headers: Record<string, string>]>([
    ['another status', 500, refusal('22s'), { ...JSON_FIELDS, ...lengthOf(refusal('22s')) }],
    ['no stated length, and more than 64 KB', 429, refusal('22s').padEnd(70_000), JSON_FIELDS],
    ['another type', 429, refusal('22s'), { 'content-type': 'text/plain', ...lengthOf(refusal('22s')) }],
    ['a length above 64 KB', 429, refusal('22s').padEnd(70_000), { ...JSON_FIELDS, 'content-length': '' }],
    ['a delay that is none', 429, refusal('soon'), { ...JSON_FIELDS, ...lengthOf(refusal('soon')) }],
    ['a number', 429, refusal(22), { ...JSON_FIELDS, ...lengthOf(refusal(22)) }],
    ['no details', 429, '{"error":{}}', { ...JSON_FIELDS, 'content-length': '12' }],
    ['no JSON', 429, '{"error"', { ...JSON_FIELDS, 'content-length': '8' }],
    ['null', 429, 'null', { ...JSON_FIELDS, 'content-length': '4' }],
    ['a time in the head', 429, refusal('22s'), { ...JSON_FIELDS, ...lengthOf(refusal('22s')), 'retry-after': '0' }],
  ])('is not read with %s', async (_what, status, body, headers) => {
    const fields = headers['content-length'] === '' ? { ...headers, ...lengthOf(body) } : headers;
    expect(await pauseAfter(status, body, fields)).toBeLessThan(2000);
  });

  it('leaves the caller the same bytes, with the address, and holds its slot until they are read', async () => {
    const body = refusal('3600s');
    const clock = new QueueClock();
    const answer = { status: 429, body, headers: { ...JSON_FIELDS, ...lengthOf(body) } };
    const server = await ScriptedServer.open(clock, [answer, answer]);
    try {
      for (const concurrency of [undefined, 1]) {
        const api = limitedFetch({ store: new MemoryStore({ clock }), ...(concurrency && { concurrency }) });
        const response = await api(`${server.origin}/path`);
        expect([response.status, response.url]).toEqual([429, `${server.origin}/path`]);
        expect(Buffer.from(await response.arrayBuffer()).toString()).toBe(body);
        await expect(api(server.origin)).rejects.toMatchObject({ code: 'SLUICE_REFUSED' });
      }
      expect(server.requests).toHaveLength(2);
    } finally {
      server.close();
    }
  });

  it('is not waited for if the body does not come', async () => {
    const api = limitedFetch({
      retry: false,
      fetch: async () =>
        new Response(new ReadableStream(), { status: 429, headers: { ...JSON_FIELDS, 'content-length': '9' } }),
    });
    expect((await api('http://server.example/')).status).toBe(429);
  });
});

describe("a throttled answer of Shopify's GraphQL", () => {
  const PATH = '/admin/api/2026-10/graphql.json';
  const throttleStatus = { maximumAvailable: 1000, currentlyAvailable: 54, restoreRate: 50 };
  const bodyOf = (code: string, cost: unknown = { requestedQueryCost: 254, actualQueryCost: null, throttleStatus }) =>
    JSON.stringify({ errors: [{ message: 'Throttled', extensions: { code } }], extensions: { cost } });

  /** How long a second call of the key waited after a POST that was answered so. */
  async function waitedAfter(body: string, path = PATH, status = 200): Promise<number> {
    const clock = new QueueClock();
    const server = await ScriptedServer.open(clock, [{ status, body, headers: JSON_FIELDS }]);
    try {
      const api = limitedFetch({ store: new MemoryStore({ clock }), random: () => 0 });
      const first = await api(`${server.origin}${path}`, { method: 'POST', body: '{}' });
      expect([first.status, await first.text()]).toEqual([status, body]);
      const second = await runByClock(clock, api(`${server.origin}${path}`, { method: 'POST', body: '{}' }));
      expect(await second.text()).toBe('fine');
      return server.timesMs[1] as number;
    } finally {
      server.close();
    }
  }

  it('stops its key until the points are back, and is handed on as it is', async () => {
    expect(await waitedAfter(bodyOf('THROTTLED'))).toBe(4000);
    expect(await waitedAfter(bodyOf('THROTTLED'), `${PATH}?debug=1`)).toBe(4000);
  });

  it.each<[what: string, body: string, path?: string]>([
    ['another error', bodyOf('MAX_COST_EXCEEDED')],
    ['data', JSON.stringify({ data: { shop: 'one' }, errors: [{ extensions: { code: 'THROTTLED' } }] })],
    ['no cost', bodyOf('THROTTLED', null)],
    ['a cost that is none', bodyOf('THROTTLED', { requestedQueryCost: '254', throttleStatus })],
    [
      'a rate of nothing',
      bodyOf('THROTTLED', {
        requestedQueryCost: 9,
        throttleStatus: { ...throttleStatus, currentlyAvailable: 0, restoreRate: 0 },
      }),
    ],
    ['no JSON', '{"errors": [THROTTLED'],
    ['null in its place', JSON.stringify({ errors: [null], extensions: null })],
    ['another address', bodyOf('THROTTLED'), '/graphql'],
  ])('is nothing else: %s', async (_what, body, path = PATH) => {
    expect(await waitedAfter(body, path)).toBe(0);
  });
});

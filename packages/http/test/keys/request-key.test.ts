import { describe, expect, it } from '@jest/globals';
import type { LimitItem } from '@sluice/core';
import { createEnforcer, type HttpOptions, type HttpRequest, ipKey } from '@sluice/core/http';

type Args = [request: HttpRequest];

const host = { requestOf: (request: HttpRequest) => request, proxyTrust: () => 'some' as const };

/** A request of a framework, which finds the address anew each time that it is read. */
class Request implements HttpRequest {
  readonly method = 'GET';
  readonly url = '/';
  readonly headers = { 'x-forwarded-for': '203.0.113.7' };
  reads = 0;

  get ip(): string {
    this.reads += 1;
    return this.headers['x-forwarded-for'];
  }
}

const enforcerOf = (options: HttpOptions<Args>) => createEnforcer<Args>(options, host);

const byMethod = ({ method }: HttpRequest) => method;
const limits: readonly LimitItem<Args>[] = [
  { name: 'a', limit: 5, window: '1s' },
  { name: 'b', limit: 2, window: '1m' },
  { name: 'c', limit: 9, window: '1h', keyGenerator: byMethod },
  { name: 'd', limit: 9, window: '1h' },
];

const later: readonly LimitItem<Args>[] = [
  { name: 'a', limit: async () => 5, window: '1s' },
  { name: 'b', limit: async () => 2, window: '1m' },
];

describe('The address of a request', () => {
  it.each([
    ['one limit', { limit: 2, window: '1m' }],
    ['one limit that is chosen later', { limit: async () => 2, window: '1m' }],
    ['several limits', { limits }],
    ['limits that are chosen later', { limits: later }],
  ] as [string, HttpOptions<Args>][])('is read once for %s', async (_, options) => {
    const { enforce } = enforcerOf(options);
    const requests = [new Request(), new Request(), new Request()];
    const refused: boolean[] = [];
    for (const request of requests) refused.push((await enforce(request))?.refuse !== undefined);
    expect(refused).toEqual([false, false, true]);
    expect(requests.map(({ reads }) => reads)).toEqual([1, 1, 1]);
  });

  it('is counted under the key of ipKey in each limit', async () => {
    const { enforce, reset } = enforcerOf({ limits });
    const isRefused = async () => (await enforce(new Request()))?.refuse !== undefined;
    expect([await isRefused(), await isRefused(), await isRefused()]).toEqual([false, false, true]);
    await reset(ipKey('203.0.113.7'));
    expect(await isRefused()).toBe(false);
  });
});

it('Header fields are not read for a host that never says which proxies it trusts', async () => {
  const withoutFields: HttpRequest = {
    method: 'GET',
    url: '/',
    ip: '203.0.113.7',
    get headers(): HttpRequest['headers'] {
      throw new Error('they were read');
    },
  };
  const { enforce } = createEnforcer<Args>({ limits }, { requestOf: (request) => request });
  expect((await enforce(withoutFields))?.refuse).toBeUndefined();
});

import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@sluice/core/testing';
import {
  byHeader,
  byIp,
  concurrency,
  type FetchContext,
  firstOf,
  MemoryStore,
  type RateLimitOptions,
  rateLimit,
  rateLimitOf,
  respond,
  responseOf,
  slidingWindow,
} from '../src/index.js';

const FIVE = slidingWindow({ limit: 5, window: '1m' });
const SLOT = concurrency({ limit: 1, lease: '30s' });
const BOTH = { limits: [SLOT, FIVE], limit: undefined, skipFailedRequests: true } as never;

type Handler = (request: Request) => Response | Promise<Response>;

const hello: Handler = () => new Response('hello');

/** A limit, by which everybody counts as one, and a server of fetch in front of a handler. */
function limited(options: Partial<RateLimitOptions>, handler = hello) {
  const store = new MemoryStore({ clock: new ManualClock() });
  const limit = rateLimit({ limit: FIVE, store, keyGenerator: () => 'all', ...options } as RateLimitOptions);
  const ask = async (init: RequestInit = {}, path = '/'): Promise<Response> => {
    const request = new Request(`http://localhost${path}`, init);
    return (await limit(request)) ?? respond(request, () => handler(request));
  };
  const left = async (): Promise<Record<string, number>> => {
    const { verdicts } = await limit.peek('all');
    return Object.fromEntries(verdicts.map(({ name, remaining }) => [name, remaining]));
  };
  return { limit, ask, left };
}

const fieldsOf = ({ headers }: Response): (string | null)[] => [
  headers.get('ratelimit'),
  headers.get('ratelimit-policy'),
];
const FIRST = ['"per-1m";r=4;t=60', '"per-1m";q=5;w=60'];

describe('header fields', () => {
  const HANDLERS: Readonly<Record<string, Handler>> = {
    'a Response': hello,
    'a Response whose headers cannot be changed': () => Response.redirect('http://localhost/other', 302),
    'an answer of fetch()': () => fetch('data:,hello'),
    'a Response without a body': () => new Response(null, { status: 204 }),
  };

  it('are those of each request on a Response that a handler returns again', async () => {
    const noContent = new Response(null, { status: 204 });
    const { ask } = limited({}, () => noContent);
    const left = [];
    for (let i = 0; i < 3; i += 1) left.push((await ask()).headers.get('ratelimit'));
    expect(left).toEqual([4, 3, 2].map((rest) => `"per-1m";r=${rest};t=60`));
    expect([...noContent.headers]).toEqual([]);
  });

  it.each(Object.keys(HANDLERS))('are on %s', async (what) => {
    const { ask } = limited({ extraHeaders: { 'X-Plan': 'free' } }, HANDLERS[what]);
    const response = await ask();
    expect(fieldsOf(response)).toEqual(FIRST);
    expect(response.headers.get('x-plan')).toBe('free');
  });

  it('of a handler stay as they are', async () => {
    const { ask } = limited({}, () => new Response('hello', { headers: { RateLimit: 'mine' } }));
    expect(fieldsOf(await ask())).toEqual(['mine', FIRST[1]]);
  });

  it('of extraHeaders stand beside the cookies and Vary of the handler', async () => {
    const extraHeaders = { 'Set-Cookie': 'plan=free', Vary: 'X-Api-Key', 'X-Plan': 'free' };
    const headers = { 'Set-Cookie': 'seen=yes', Vary: 'Accept' };
    const response = await limited({ extraHeaders }, () => new Response('hello', { headers })).ask();
    expect(response.headers.get('vary')).toBe('Accept, X-Api-Key');
    expect(response.headers.getSetCookie()).toEqual(['seen=yes', 'plan=free']);
  });

  it('state all policies of a request', async () => {
    const outer = rateLimit({ name: 'outer', limit: FIVE, store: new MemoryStore(), keyGenerator: () => 'all' });
    const inner = rateLimit({ name: 'inner', limit: 2, window: '1s', keyGenerator: () => 'all' });
    const request = new Request('http://localhost/');
    const refused = (await outer(request)) ?? (await inner(request));
    const response = refused ?? (await respond(request, () => new Response('hello')));
    expect(response.headers.get('ratelimit')).toBe('"outer";r=4;t=60,"inner";r=1;t=1');
  });

  it('are on the response to an error that the application makes, and a cookie is there once', async () => {
    const limit = rateLimit({ limit: FIVE, keyGenerator: () => 'all', extraHeaders: { 'Set-Cookie': 'plan=free' } });
    const request = new Request('http://localhost/');
    await limit(request);
    const broken = respond(request, () => Promise.reject(new Error('the handler is broken')));
    await expect(broken).rejects.toThrow('the handler is broken');
    const response = await respond(request, () => new Response('broken', { status: 500 }));
    expect(response.headers.getSetCookie()).toEqual(['plan=free']);
    const outer = await respond(request, () => response);
    expect([fieldsOf(outer), outer.headers.getSetCookie()]).toEqual([FIRST, ['plan=free']]);
  });

  it('are not added to a response that changes the protocol, if its fields cannot be changed', async () => {
    const { ask } = limited({}, () => upgrade);
    const set = (): never => {
      throw new TypeError('immutable');
    };
    const headers = Object.assign(new Headers(), { set });
    const upgrade = Object.defineProperties(new Response(), { status: { value: 101 }, headers: { value: headers } });
    expect(await ask()).toBe(upgrade);
  });
});

describe('refusals', () => {
  const NONE = { limit: slidingWindow({ limit: 0, window: '1m' }) };

  it('are problems', async () => {
    const refused = await limited(NONE).ask();
    expect([refused.status, refused.headers.get('content-type')]).toEqual([429, 'application/problem+json']);
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expect(await refused.json()).toMatchObject({ status: 429, 'violated-policies': ['per-1m'] });
  });

  it('are the Response that onLimitReached returns', async () => {
    const onLimitReached = async (_request: Request, _context: FetchContext, { policy }: { policy: string }) =>
      new Response(`no more of ${policy}`, { status: 418 });
    const refused = await limited({ ...NONE, onLimitReached }).ask();
    expect([refused.status, await refused.text()]).toEqual([418, 'no more of default']);
    expect(refused.headers.get('ratelimit-policy')).toBe('"per-1m";q=0;w=60');
  });

  it('are the problem, if onLimitReached returns anything else', async () => {
    expect((await limited({ ...NONE, onLimitReached: () => ({ status: 1 }) }).ask()).status).toBe(429);
  });

  it('do not run the handler', async () => {
    let calls = 0;
    const { ask } = limited({ limit: slidingWindow({ limit: 1, window: '1m' }) }, () => {
      calls += 1;
      return new Response('hello');
    });
    for (const status of [200, 429, 429]) expect((await ask()).status).toBe(status);
    expect(calls).toBe(1);
  });

  it('of a later guard free the slot of an earlier one, and give its charge back', async () => {
    const { limit, left } = limited(BOTH);
    const later = rateLimit({ name: 'later', ...NONE, keyGenerator: () => 'all' });
    const request = new Request('http://localhost/');
    expect(await limit(request)).toBeUndefined();
    const refused = await later(request);
    await refused?.text();
    expect(await left()).toEqual({ concurrency: 1, 'per-1m': 5 });
  });
});

describe('slots', () => {
  it('are held until the body has been read', async () => {
    const { ask, left } = limited({ limit: SLOT });
    const response = await ask();
    expect(await left()).toEqual({ concurrency: 0 });
    expect((await ask()).status).toBe(429);
    expect(await response.text()).toBe('hello');
    expect(await left()).toEqual({ concurrency: 1 });
  });

  it('are freed when nobody reads the rest of the body, and the source learns of it', async () => {
    let reason: unknown;
    const { ask, left } = limited(BOTH, () => {
      const body = new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(10)),
        cancel: (why) => {
          reason = why;
        },
      });
      return new Response(body);
    });
    await (await ask()).body?.cancel('enough');
    expect(reason).toBe('enough');
    expect(await left()).toEqual({ concurrency: 1, 'per-1m': 4 });
  });

  it('are freed when a stream breaks off, which is a failure', async () => {
    const broken = new ReadableStream({ pull: () => Promise.reject(new Error('broken')) });
    const { ask, left } = limited(BOTH, () => new Response(broken));
    await expect((await ask()).text()).rejects.toThrow('broken');
    expect(await left()).toEqual({ concurrency: 1, 'per-1m': 5 });
  });

  it('are freed when the handler of a client that has left has ended', async () => {
    const client = new AbortController();
    let end = (): void => {};
    let begun = (): void => {};
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const { ask, left } = limited({ limit: SLOT }, async () => {
      begun();
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      return new Response('hello');
    });
    const answer = ask({ signal: client.signal });
    await hasBegun;
    client.abort();
    expect(await left()).toEqual({ concurrency: 0 });
    end();
    await answer;
    await new Promise((resolve) => setImmediate(resolve));
    expect(await left()).toEqual({ concurrency: 1 });
  });

  it.each(['HEAD', 'GET'])('are freed after a response to %s without a body', async (method) => {
    const { ask, left } = limited({ limit: SLOT }, () => new Response(method === 'HEAD' ? 'dropped' : null));
    await ask({ method });
    expect(await left()).toEqual({ concurrency: 1 });
  });

  it('are freed when a handler throws, and when it returns no Response', async () => {
    const throwing = limited(BOTH, () => {
      throw 'no error';
    });
    await expect(throwing.ask()).rejects.toBe('no error');
    expect(await throwing.left()).toEqual({ concurrency: 1, 'per-1m': 5 });
    const returning = limited(BOTH, () => undefined as never);
    await expect(returning.ask()).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'handler' });
    expect(await returning.left()).toEqual({ concurrency: 1, 'per-1m': 5 });
  });

  it('of an inner handler and an outer one are held until both have ended', async () => {
    const { limit, left } = limited({ limit: SLOT });
    const inner = rateLimit({ name: 'inner', limit: SLOT, keyGenerator: () => 'all' });
    const free = async () => [await left(), (await inner.peek('all')).tightest.remaining];
    const request = new Request('http://localhost/');
    await limit(request);
    let seen: unknown;
    const response = await respond(request, async () => {
      await inner(request);
      const answer = await respond(request, () => new Response(null, { status: 204 }));
      seen = await free();
      return answer;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect([response.status, seen, await free()]).toEqual([204, [{ concurrency: 0 }, 0], [{ concurrency: 1 }, 1]]);
  });

  it('does not wrap a body if nothing depends on its end', async () => {
    const answer = new Response('hello');
    expect(await limited({}, () => answer).ask()).toBe(answer);
  });
});

it('Gives a charge back by the status of the response, and by requestWasSuccessful', async () => {
  const byPath: Handler = ({ url }) => new Response('hello', { status: Number(url.slice(-3)) });
  const { ask, left } = limited({ skipFailedRequests: true }, byPath);
  for (const status of [500, 404, 200]) await (await ask({}, `/${status}`)).text();
  expect(await left()).toEqual({ 'per-1m': 4 });
  const requestWasSuccessful = (request: Request): boolean => responseOf(request)?.status === 404;
  const own = limited({ skipSuccessfulRequests: true, requestWasSuccessful }, byPath);
  for (const status of [500, 404, 200]) await (await own.ask({}, `/${status}`)).text();
  expect(await own.left()).toEqual({ 'per-1m': 3 });
});

it('Gives the handler the reservation', async () => {
  const { ask, left } = limited({ cost: 3 }, async (request) => {
    await rateLimitOf(request)?.settle(1);
    return Response.json(rateLimitOf(request)?.policy ?? null);
  });
  expect(await (await ask()).json()).toBe('default');
  expect(await left()).toEqual({ 'per-1m': 4 });
  expect(rateLimitOf(new Request('http://localhost/'))).toBeUndefined();
});

it('Gives callbacks the context, with the properties of the application', async () => {
  interface OwnContext extends FetchContext {
    readonly user: string;
  }
  const limit = rateLimit<OwnContext>({ limit: 1, window: '1m', keyGenerator: (_request, { user }) => user });
  const ask = async (user: string): Promise<number | undefined> =>
    (await limit(new Request('http://localhost/'), { user }))?.status;
  expect([await ask('ann'), await ask('ann'), await ask('bob')]).toEqual([undefined, 429, undefined]);
  let seen: unknown;
  const without = rateLimit({
    limit: 1,
    window: '1m',
    keyGenerator: (_request, context) => {
      seen = context;
      return 'all';
    },
  });
  await without(new Request('http://localhost/'));
  expect(seen).toEqual({});
});

it('Returns a handle with peek, consume, reserve and reset', async () => {
  const { limit } = limited({ keyGenerator: byHeader('x-api-key') });
  const request = new Request('http://localhost/', { headers: { 'X-Api-Key': 'k' } });
  const { tightest } = await limit.consume(request, {});
  expect([tightest.remaining, (await limit.peek(request, {})).tightest.remaining]).toEqual([4, 4]);
  const reservation = await limit.reserve('other');
  await reservation.cancel();
  expect((await limit.peek('other')).tightest.remaining).toBe(5);
  expect(await limit.reset('nobody')).toBe(false);
});

describe('keys', () => {
  it('come from a header, or else from the address', async () => {
    const limit = rateLimit({ limit: 1, window: '1m', keyGenerator: firstOf(byHeader('x-api-key'), byIp()) });
    const statusOf = async (address: string, headers: Record<string, string> = {}) =>
      (await limit(new Request('http://localhost/', { headers }), { address }))?.status ?? 200;
    expect(await statusOf('203.0.113.7', { 'X-Api-Key': 'k' })).toBe(200);
    expect(await statusOf('203.0.113.8', { 'X-Api-Key': 'k' })).toBe(429);
    expect([await statusOf('203.0.113.7'), await statusOf('203.0.113.7')]).toEqual([200, 429]);
    expect(await statusOf('203.0.113.8')).toBe(200);
  });

  it('refuse a value that is no generator', () => {
    expect(() => firstOf(byIp(), 5 as never)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'keys[1]' }),
    );
  });

  const UNKNOWN: readonly FetchContext[] = [{}, { address: undefined }, { address: null }, { address: () => null }];

  it.each(UNKNOWN)('are missing if the context is %j, and the error names the fix', async (context) => {
    const limit = rateLimit({ limit: 1, window: '1m' });
    await expect(limit(new Request('http://localhost/'), context)).rejects.toMatchObject({
      code: 'SLUICE_KEY',
      message: expect.stringMatching(/pass \{ address \}, or set a keyGenerator/),
    });
  });

  it('are missing if the address is no text, and the error names the value', async () => {
    const limit = rateLimit({ limit: 1, window: '1m' });
    const address = { address: '203.0.113.7', port: 80 } as never;
    await expect(limit(new Request('http://localhost/'), { address })).rejects.toMatchObject({
      code: 'SLUICE_OPTION',
      path: 'context.address',
    });
  });

  it('are required with a status, if onMissingKey says so', async () => {
    const limit = rateLimit({ limit: 1, window: '1m', onMissingKey: 401 });
    expect((await limit(new Request('http://localhost/')))?.status).toBe(401);
  });
});

it('Refuses invalid options', () => {
  for (const options of [undefined, null, [], 5, { limit: 5 }, { limit: 5, window: '1m', colour: 'red' }]) {
    expect(() => rateLimit(options as never)).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION' }));
  }
});

it('Passes on what a callback throws', async () => {
  const { ask } = limited({ keyGenerator: () => Promise.reject('no error') });
  await expect(ask()).rejects.toBe('no error');
});

it('Says what is missing if a guard gets no request, and respond no handler', async () => {
  const limit = rateLimit({ limit: 1, window: '1m' });
  await expect(limit(undefined as never)).rejects.toMatchObject({
    code: 'SLUICE_UNSUPPORTED',
    message: expect.stringContaining('was called without a request: pass it'),
  });
  const noHandler = respond(new Request('http://localhost/'), undefined as never);
  await expect(noHandler).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'handler' });
});

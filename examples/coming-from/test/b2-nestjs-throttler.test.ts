import { afterEach, expect, it } from '@jest/globals';
import type { INestApplication, Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { RATE_LIMIT_STORE, RateLimitModule, type RateLimitModuleOptions } from '@sluice/nestjs';
import request from 'supertest';
import { AsyncLimits, NamedLimits, OneLimit, OneLimitPerHandler } from '../src/b2-nestjs-throttler.js';
import { describeOnEachStore } from './each-store.js';
import { statuses, times } from './statuses.js';

describeOnEachStore((stage) => {
  let app: INestApplication;

  async function start(module: Type): Promise<void> {
    const builder = Test.createTestingModule({ imports: [module] });
    const built = await builder.overrideProvider(RATE_LIMIT_STORE).useValue(stage.store).compile();
    app = await built.createNestApplication({ logger: false }).init();
  }

  afterEach(() => app.close());

  const get = (path = '/cats') => request(app.getHttpServer()).get(path);
  const logIn = () => request(app.getHttpServer()).post('/cats/login');

  it.each([
    ['given', OneLimit],
    ['that a provider knows', AsyncLimits],
  ])('B2, S1: ten a minute, %s, apply to the whole application', async (_, module) => {
    await start(module);
    expect(await statuses(9, get)).toEqual(times(9, 200));
    expect(await statuses(2, () => get('/cats'))).toEqual([200, 429]);
    const { body, headers } = await get();
    expect(body).toMatchObject({ status: 429, 'violated-policies': ['per-1m'] });
    expect(headers['retry-after']).toBe('60');
    stage.clock.advance('1m');
    expect(await statuses(11, get)).toEqual([...times(10, 200), 429]);
  });

  it('B2: a decorated handler has its own limit, and a skipped controller has none', async () => {
    await start(OneLimit);
    expect(await statuses(6, logIn)).toEqual([...times(5, 201), 429]);
    expect(await statuses(11, get)).toEqual([...times(10, 200), 429]);
    expect(await statuses(20, () => get('/health'))).toEqual(times(20, 200));
    expect((await get('/health')).headers.ratelimit).toBeUndefined();
  });

  it('B2: every handler counts separately with such a key', async () => {
    await start(OneLimitPerHandler);
    expect(await statuses(11, get)).toEqual([...times(10, 200), 429]);
    expect(await statuses(6, logIn)).toEqual([...times(5, 201), 429]);
  });

  it('B2: several named limits apply together, and one does not count refusals of the other', async () => {
    await start(NamedLimits);
    expect(await statuses(5, get)).toEqual([...times(3, 200), 429, 429]);
    const { headers, body } = await get();
    expect(headers['ratelimit-policy']).toBe('"short";q=3;w=1,"long";q=10;w=60');
    expect(headers.ratelimit).toContain('"long";r=7;');
    expect(body['violated-policies']).toEqual(['short']);
    for (let i = 0; i < 2; i += 1) {
      stage.clock.advance('1s');
      expect(await statuses(3, get)).toEqual(times(3, 200));
    }
    stage.clock.advance('1s');
    expect(await statuses(2, get)).toEqual([200, 429]);
    expect((await get()).body['violated-policies']).toEqual(['long']);
  });

  it('B2: a handler may change one of the named limits, or leave it out', async () => {
    await start(NamedLimits);
    expect(await statuses(2, () => get('/cats/search'))).toEqual([200, 429]);
    expect(await statuses(11, () => get('/cats/picture'))).toEqual([...times(10, 200), 429]);
  });
});

it.each([
  ['throttlers is not an option: use limits,', { throttlers: [{ ttl: 60_000, limit: 10 }] }],
  ['limits[0].ttl is not an option: use window,', { limits: [{ ttl: 60_000, limit: 10 }] }],
  ["must be an object such as { limit: 100, window: '1m' }, or { limits: [...] }", [{ ttl: 60_000, limit: 10 }]],
])('B2, S1: pasted options are an error: %s', async (message, pasted) => {
  const module = RateLimitModule.forRoot(pasted as RateLimitModuleOptions);
  await expect(Test.createTestingModule({ imports: [module] }).compile()).rejects.toThrow(message);
});

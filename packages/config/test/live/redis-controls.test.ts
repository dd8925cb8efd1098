import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type LivePolicies, policies, redisControls } from '@sluice/config';
import { createLimiter, MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { emittedWarnings, expectOnly } from '@sluice/test-kit/emitted-warnings';
import type { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { until } from '@sluice/test-kit/until';
import { Redis } from 'ioredis';
import { aRequest } from '../compile/a-file.js';
import { TextSource } from './text-source.js';

const TEXT = `version: 1
keys: { customer: { header: x-api-key } }
policies:
  api:
    key: customer
    limits: [{ name: minute, limit: 1, window: 1h }]
    rollout: [{ from: 2026-01-01T00:00:00Z, enforce: 50% }, { after: 1d, enforce: 1 }]
    brake: { refused: 5%, over: 5m }
`;

let client: Redis;
let server: RedisServer;
let clock: ManualClock;
const open: LivePolicies[] = [];

withRedis((started, given) => {
  client = started;
  server = given;
});

beforeEach(async () => {
  await client.flushall();
  clock = new ManualClock();
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((live) => live.close()));
});

/** An instance of a service, which never polls, so that only messages reach it. */
async function instance(): Promise<LivePolicies<object, false>> {
  const controls = redisControls(client, { clock: new ManualClock() });
  const live = await policies({ source: new TextSource(TEXT), store: new MemoryStore({ clock }), controls });
  open.push(live);
  return live;
}

const listening = (count: number): Promise<void> =>
  until(async () => ((await client.pubsub('NUMSUB', 'sluice:controls')) as unknown[])[1] === count);

describe('controls in Redis', () => {
  it('carry the kill switch of one instance to all, also to one that starts later, until its end', async () => {
    const all = [await instance(), await instance()];
    await listening(2);
    await all[0]?.setEnforcement('off', { for: '1h', by: 'ann', reason: 'incident' });
    await until(() => all.every((live) => live.status().enforcement === 'off'));
    all.push(await instance());
    for (const live of all) expect(live.status()).toMatchObject({ enforcement: 'off', enforcementBy: 'ann' });
    expect(JSON.parse((await client.hget('sluice:controls', 'enforcement')) ?? '')).toEqual({
      mode: 'off',
      until: '2026-01-01T01:00:00.000Z',
      by: 'ann',
      reason: 'incident',
    });
    await clock.untilSleeping(3);
    clock.advance('1h');
    await until(() => all.every((live) => live.status().enforcement === 'on'));
    await all[1]?.setEnforcement('shadow', { for: '1h' });
    await until(() => all.every((live) => live.status().enforcement === 'shadow'));
    await all[2]?.clearEnforcement();
    await until(() => all.every((live) => live.status().enforcement === 'on'));
  });

  it('carry what an operator sets by hand, and ignore what has no end or no meaning', async () => {
    const live = await instance();
    await listening(1);
    const set = async (text: string): Promise<void> => {
      await client.hset('sluice:controls', 'enforcement', text);
      await client.publish('sluice:controls', '');
    };
    await set('{"mode":"shadow","until":"2026-01-01T12:00:00Z"}');
    await until(() => live.status().enforcement === 'shadow');
    for (const text of ['{"mode":"off"}', '{"mode":"no","until":"2026-01-01T12:00:00Z"}', 'off', 'null', '[]']) {
      await set(text);
      await until(() => live.status().enforcement === 'on');
      await set('{"mode":"shadow","until":"2026-01-01T12:00:00Z"}');
      await until(() => live.status().enforcement === 'shadow');
    }
  });

  it.each([
    ['{mode:shadow}', 'it must be a JSON object'],
    ['{"mode":"no","until":"2026-01-01T12:00:00Z"}', 'mode must be on, shadow or off'],
    ['{"mode":"off"}', 'until must be a time such as 2026-12-01T12:00:00Z'],
    ['{"mode":"off","until":"2036-01-01T00:00:00Z"}', 'until must be at most 7 days from now'],
  ])('warn once of %s, which an operator has written by hand', async (text, mistake) => {
    await client.hset('sluice:controls', 'enforcement', text);
    const warnings = emittedWarnings();
    const live = await instance();
    await listening(1);
    await client.publish('sluice:controls', '');
    await live.setEnforcement('shadow', { for: '1h' });
    await until(() => live.status().enforcement === 'shadow');
    jest.restoreAllMocks();
    expectOnly(warnings, 'SLUICE_CONTROLS', 'errors.md');
    expect(warnings[0]?.message).toContain(`the field enforcement of sluice:controls is ignored: ${mistake}, got `);
  });

  it('carry a brake to all instances', async () => {
    const [one, two] = [await instance(), await instance()];
    await listening(2);
    const limiter = createLimiter(one.policy('api'));
    for (let i = 0; i < 800; i += 1) limiter.consume(aRequest({ 'x-api-key': `k${i >> 1}` }));
    expect(one.status().braked).toEqual(['api']);
    await until(() => two.status().braked.length === 1);
    expect((await instance()).status().braked).toEqual(['api']);
  });

  it('that cannot be reached change nothing, and do not keep a service from starting', async () => {
    const broken = new Redis({ port: 1, retryStrategy: () => null, enableOfflineQueue: false });
    broken.on('error', () => {});
    const live = await policies({
      source: new TextSource(TEXT),
      store: new MemoryStore({ clock }),
      controls: redisControls(broken, { timeout: '200ms' }),
    });
    open.push(live);
    expect(live.status().enforcement).toBe('on');
    await expect(live.setEnforcement('off', { for: '1h' })).rejects.toThrow();
    expect(live.status().enforcement).toBe('on');
    broken.disconnect();
  });

  it('that cannot be read any more are a warning, once for each outage, and what was read last holds', async () => {
    const warnings = emittedWarnings();
    const live = await instance();
    await listening(1);
    await live.setEnforcement('off', { for: '1h' });
    const trouble = async (yes: boolean): Promise<void> => {
      await client.publish('sluice:controls', '');
      await until(() => (live.status().controlsTrouble !== undefined) === yes);
    };
    for (const outages of [1, 2]) {
      await client.set('sluice:controls', 'no hash');
      await trouble(true);
      await trouble(true);
      expect(live.status()).toMatchObject({
        enforcement: 'off',
        controlsTrouble: expect.stringContaining('WRONGTYPE'),
      });
      expect(warnings.map(({ code }) => code)).toEqual(Array(outages).fill('SLUICE_CONTROLS'));
      await client.del('sluice:controls');
      await live.setEnforcement('off', { for: '1h' });
      await trouble(false);
    }
    jest.restoreAllMocks();
  });

  it('need the rights that the page of the store lists, and say which one is missing', async () => {
    const warnings = emittedWarnings();
    const rights = ['&sluice:*', '+hgetall', '+hset', '+hdel', '+publish', '+subscribe'];
    const as = async (name: string, ...granted: string[]): Promise<LivePolicies<object, false>> => {
      await client.call('ACL', ['SETUSER', name, 'on', '>secret', '~sluice:*', '-@all', ...granted]);
      const user = new Redis(server.port, { username: name, password: 'secret', enableReadyCheck: false });
      users.push(user);
      const controls = redisControls(user, { clock: new ManualClock() });
      const live = await policies({ source: new TextSource(TEXT), store: new MemoryStore({ clock }), controls });
      open.push(live);
      return live;
    };
    const users: Redis[] = [];
    const [may, mayNot] = [
      await as('may', ...rights),
      await as('may-not', ...rights.filter((one) => one !== '+hgetall')),
    ];
    await listening(2);
    await may.setEnforcement('off', { for: '1h' });
    expect(may.status()).not.toHaveProperty('controlsTrouble');
    expect(may.status().enforcement).toBe('off');
    expect(mayNot.status()).toMatchObject({ enforcement: 'on', controlsTrouble: expect.stringContaining('hgetall') });
    await may.clearEnforcement();
    jest.restoreAllMocks();
    expectOnly(warnings, 'SLUICE_CONTROLS', 'errors.md');
    for (const user of users) user.disconnect();
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { Redis } from 'ioredis';
import { blankAnswer } from '../src/answer.js';
import type { Decider } from '../src/contender.js';
import { HOSTS, type Host, variantsOn } from '../src/contenders/http/index.js';
import { fieldsOf, IDENTITIES, type Identity, type Variant } from '../src/contenders/http/serve.js';
import { BARE_MAP, MEMORY_CONTENDERS, memoryContender } from '../src/contenders/memory/index.js';
import { REDIS_CONTENDERS, redisContender } from '../src/contenders/redis/index.js';
import { SHARED_KEY_CONTENDERS } from '../src/contenders/redis/shared-key.js';
import { httpLoad } from '../src/http-load.js';
import { http2Load } from '../src/http2-load.js';
import { proveThatItLimits } from '../src/proof.js';
import { knowsCosts } from '../src/sections/mixed.js';

const QUOTA = { limit: 3, windowMs: 3_600_000 };

async function admitted(decider: Decider, key: string): Promise<boolean[]> {
  const outcomes: boolean[] = [];
  for (let asked = 0; asked < 5; asked += 1) {
    const answer = blankAnswer();
    await decider.decide(key, answer);
    outcomes.push(answer.allowed);
  }
  return outcomes;
}

describe.each([...MEMORY_CONTENDERS.keys()])('%s in process', (name) => {
  it('admits three of a key, counting down, and refuses the fourth for a while', async () => {
    const decider = await (await memoryContender(name))(QUOTA);
    await proveThatItLimits(name, decider);
    expect(await admitted(decider, 'other')).toEqual([true, true, true, false, false]);
    await decider.close();
  });
});

describe('over Redis', () => {
  let server: RedisServer;
  let client: Redis;

  beforeAll(async () => {
    server = await RedisServer.start();
    client = new Redis(server.port, '127.0.0.1');
  }, 120_000);

  afterAll(async () => {
    client.disconnect();
    await server.stop();
  });

  it.each([...REDIS_CONTENDERS.keys()])('%s admits three of a key and refuses the fourth for a while', async (name) => {
    await client.flushall();
    const decider = await (await redisContender(name))(QUOTA, client);
    // Otherwise the section `mixed` ends at it.
    expect(knowsCosts(name)).toBe(decider.decideCost !== undefined);
    await proveThatItLimits(name, decider);
    expect(await admitted(decider, 'other')).toEqual([true, true, true, false, false]);
    await decider.close();
  });

  it.each([...SHARED_KEY_CONTENDERS])('%s admits three of a shared key', async (name, contender) => {
    await client.flushall();
    const decider = await contender(QUOTA, client);
    await proveThatItLimits(name, decider);
    expect(await admitted(decider, 'other')).toEqual([true, true, true, false, false]);
    await decider.close();
  });
});

const SERVERS = [...HOSTS.keys()].flatMap((host) =>
  [...variantsOn(host).values()].flatMap((variant) =>
    IDENTITIES.map((identity): [string, Variant, Identity] => [host, variant, identity]),
  ),
);

describe.each(SERVERS)('%s with a %s, clients by %s', (host, variant, identity) => {
  it('admits three of a client and refuses the fourth, unless there is no limiter', async () => {
    const { serve, isHttp2 } = HOSTS.get(host) as Host;
    const { port, close } = await (await serve())(variant, QUOTA, identity);
    const requestOf = (client: number) => ({ headers: fieldsOf(identity, client) });
    const load = isHttp2 ? http2Load : httpLoad;
    const ask = async (firstClient: number) => {
      const { statuses } = await load({ port, connections: 1, requests: 1, firstClient, clients: 10_000, requestOf });
      return statuses;
    };
    const statuses = [await ask(1), await ask(1), await ask(1), await ask(1), await ask(9_999)];
    expect(statuses).toEqual([[200], [200], [200], [variant === 'bare route' ? 200 : 429], [200]]);
    await close();
  });
});

it('a proof detects a contender that does not limit', async () => {
  const unlimited = await (await memoryContender(BARE_MAP))({ ...QUOTA, limit: 4 });
  await expect(proveThatItLimits('a limit of four', unlimited)).rejects.toThrow('a limit of four does not limit');
});

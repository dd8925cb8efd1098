import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLimiter, type Limiter, subscribe } from '@sluice/core';
import { clientAt, connectedTo, end, type NodeRedis, VERSIONS } from '../clients/node-redis.js';
import { IS_FULL } from '../clients/over-client.js';
import { CHOICES, Stage, sourcesOf, TIMEOUT_MS } from './stage.js';

let stage: Stage;
let client: NodeRedis;

beforeEach(async () => {
  stage = await Stage.set();
});

afterEach(async () => {
  await stage.clear();
  end(client);
});

describe.each(IS_FULL ? VERSIONS : VERSIONS.slice(0, 1))('Over node-redis %s', (_, create) => {
  /** A limiter for each choice, over one store. */
  function limiters(): Limiter<string, true>[] {
    const store = stage.storeOver(client, TIMEOUT_MS);
    return CHOICES.map((onStoreError) =>
      createLimiter({ name: onStoreError, limit: 100_000, window: '1h', onStoreError, store }),
    );
  }

  async function expectOwnDecisions(all: readonly Limiter<string, true>[]): Promise<void> {
    const answers = await Promise.all(all.map((limiter) => stage.askFor(limiter, 300, 5)));
    expect(answers.map(sourcesOf)).toEqual(CHOICES.map((choice) => new Set([choice])));
  }

  it('each policy decides by its onStoreError while Redis is frozen or dead, and Redis when it is back', async () => {
    client = await connectedTo(stage.server, create);
    const all = limiters();
    const back = () => Promise.all(all.map((limiter) => stage.untilBack(limiter)));
    await back();
    await stage.freeze();
    await expectOwnDecisions(all);
    await stage.server.thaw();
    await back();
    await stage.server.kill();
    await expectOwnDecisions(all);
    await stage.server.run();
    await back();
    stage.expectAllInTime();
  });

  it('Redis may be missing at the start, and the error says that it is unreachable', async () => {
    await stage.server.kill();
    client = clientAt(stage.server, create);
    void client.connect().catch(() => {});
    const messages = new Set<string>();
    const stop = subscribe('sluice:store-error', ({ error }) => messages.add((error as Error).message));
    const [limiter] = limiters() as [Limiter<string, true>];
    expect((await stage.ask(limiter)).source).toBe('local');
    stop();
    expect([...messages]).toEqual([
      expect.stringContaining('did not answer in time: the Redis client is not connected, its status is connecting ('),
    ]);
    await stage.server.run();
    await stage.untilBack(limiter);
    stage.expectAllInTime();
  });

  it('SCRIPT FLUSH loses no decision', async () => {
    client = await connectedTo(stage.server, create);
    const limiter = createLimiter({ limit: 50, window: '1h', store: stage.storeOver(client, 5000) });
    for (let i = 0; i < 5; i += 1) {
      await stage.client().script('FLUSH');
      await Promise.all(Array.from({ length: 20 }, () => stage.ask(limiter)));
    }
    expect(sourcesOf(stage.answers)).toEqual(new Set(['store']));
    expect(stage.answers.filter(({ allowed }) => allowed)).toHaveLength(50);
  });
});

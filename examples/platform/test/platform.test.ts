import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Spend } from '@sluice/llm';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import type { Worker } from 'bullmq';
import { connectTo, type Shared } from '../src/connection.js';
import { type Platform, startPlatform } from '../src/platform.js';
import type { Task } from '../src/tasks.js';
import { createTaskWorker } from '../src/worker.js';

/** What each call costs: 100 tokens in at half a micro-dollar, and 50 out at two. */
const COST = 150;

let redis: RedisServer;
let platform: Platform;
let workers: { readonly worker: Worker<Task>; readonly shared: Shared }[];
const stopping = new AbortController();

beforeAll(async () => {
  redis = await RedisServer.start();
});

afterAll(() => redis?.stop());

/** Two workers, each with connections and a store of its own, as processes have them. */
async function started(): Promise<void> {
  const url = `redis://127.0.0.1:${redis.port}`;
  platform = await startPlatform(url, 0);
  workers = [connectTo(url), connectTo(url)].map((shared) => {
    const { connection, store } = shared;
    const options = { connection, store, gatewayUrl: platform.url, concurrency: 5, signal: stopping.signal };
    return { shared, worker: createTaskWorker(options) };
  });
}

afterEach(async () => {
  await Promise.all(
    workers.map(async ({ worker, shared }) => {
      await worker.close();
      await shared.close();
    }),
  );
  await platform.close();
});

const headersOf = (user: string) => ({ authorization: `Bearer ${user}-key`, 'content-type': 'application/json' });

function chat(user: string, more: object = {}): Promise<Response> {
  const body = { model: 'small', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }], ...more };
  const init = { method: 'POST', headers: headersOf(user), body: JSON.stringify(body) };
  return fetch(`${platform.url}/v1/chat/completions`, init);
}

async function spentBy(user: string): Promise<Record<string, number>> {
  const response = await fetch(`${platform.url}/usage`, { headers: headersOf(user) });
  const { budgets } = (await response.json()) as Pick<Spend, 'budgets'>;
  expect(budgets.every(({ held }) => held === 0)).toBe(true);
  return Object.fromEntries(budgets.map(({ name, spent }) => [name, spent]));
}

async function addTask(user: string): Promise<string> {
  const init = { method: 'POST', headers: headersOf(user), body: JSON.stringify({ prompt: 'Hello' }) };
  const response = await fetch(`${platform.url}/v1/tasks`, init);
  expect(response.status).toBe(202);
  return ((await response.json()) as { readonly state: string }).state;
}

async function stateOf(path: string, user: string): Promise<{ readonly state: string; readonly answer?: string }> {
  return (await (await fetch(platform.url + path, { headers: headersOf(user) })).json()) as { state: string };
}

describe('The platform', () => {
  it('answers by the second provider while the first one fails, and bills each call and task once', async () => {
    await started();
    const before = await spentBy('ann');
    expect((await chat('ann')).status).toBe(200);
    expect(platform.providers.state).toEqual({ first: { fails: true, calls: 1 }, second: { fails: false, calls: 1 } });

    const tasks = await Promise.all(Array.from({ length: 12 }, () => addTask('ann')));
    const done = async () =>
      (await Promise.all(tasks.map((task) => stateOf(task, 'ann')))).every(({ state }) => state === 'completed');
    while (!(await done())) await sleep(50);
    expect(await stateOf(tasks[0] as string, 'ann')).toMatchObject({ answer: expect.stringMatching(/\w/) });
    // What it costs, both providers agree on: the second one answered all of them.
    const { first, second } = platform.providers.state;
    expect(second.calls).toBe(13);
    expect(first.calls).toBeLessThanOrEqual(13);
    const after = await spentBy('ann');
    expect((after.perDay as number) - (before.perDay as number)).toBe(13 * COST);
    expect((after['org-perMonth'] as number) - (before['org-perMonth'] as number)).toBe(13 * COST);

    // The first one is well again, and gets calls as soon as its client has tried it.
    platform.providers.setFailing('first', false);
    const failed = first.calls;
    while (platform.providers.state.first.calls === failed) expect((await chat('ann')).status).toBe(200);

    const other = await fetch(platform.url + tasks[0], { headers: headersOf('bob') });
    expect(other.status).toBe(404);
  }, 60_000);

  it('lets calls wait in line, refuses what a budget never has, and charges nothing if both providers fail', async () => {
    await started();
    const together = await Promise.all(Array.from({ length: 6 }, () => chat('bob')));
    expect(together.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);

    const dear = await chat('bob', { max_tokens: 9000 });
    expect([dear.status, dear.headers.get('x-should-retry')]).toEqual([429, 'false']);
    expect(await dear.json()).toMatchObject({
      error: { message: expect.stringContaining('the budget of the day is $0.01') },
    });
    expect((await chat('nobody')).status).toBe(401);

    for (const name of ['first', 'second'] as const) platform.providers.setFailing(name, true);
    const before = await spentBy('bob');
    expect((await chat('bob')).status).toBeGreaterThanOrEqual(500);
    expect(await spentBy('bob')).toEqual(before);
  }, 60_000);
});

import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { ClientOptions } from '@sluice/client';
import { MemoryStore, slidingWindow, subscribe } from '@sluice/core';
import { QueueClock } from '@sluice/test-kit/queue-clock';
import { runByClock } from '@sluice/test-kit/run-by-clock';
import { until } from '@sluice/test-kit/until';
import { type ScriptedAnswer, ScriptedServer } from './scripted-server.js';
import { StoreView } from './store-view.js';
import { type Call, type Sender, TRANSPORTS } from './transports.js';

const refusal = (retryAfter: string): ScriptedAnswer => ({
  status: 429,
  headers: { 'retry-after': retryAfter },
  body: 'too many',
});

describe.each(TRANSPORTS)('$name', ({ open }) => {
  const clock = new QueueClock();
  const opened: { close(): unknown }[] = [];

  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });

  const serverWith = async (...answers: ScriptedAnswer[]): Promise<ScriptedServer> => {
    const server = await ScriptedServer.open(clock, answers);
    opened.push(server);
    return server;
  };

  const client = (options: ClientOptions = {}): Sender => {
    const sender = open({ store: new MemoryStore({ clock }), random: () => 0, ...options });
    opened.unshift(sender);
    return sender;
  };

  const ask = async (sender: Sender, server: ScriptedServer, call?: Call): Promise<[status: number, text: string]> => {
    const answer = await sender.send(`${server.origin}/path?a=1`, call);
    return [answer.status, await answer.text()];
  };

  it('hands on an answer as it is', async () => {
    const body = 'x'.repeat(300_000);
    const server = await serverWith({ status: 201, headers: { 'content-type': 'text/x-long' }, body });
    const answer = await client().send(`${server.origin}/path?a=1`, { headers: { 'x-own': 'yes' } });
    expect([answer.status, answer.contentType, (await answer.text()).length]).toEqual([201, 'text/x-long', 300_000]);
    expect(server.requests).toMatchObject([{ method: 'GET', path: '/path?a=1', headers: { 'x-own': 'yes' } }]);
  });

  it('hands on an answer without a body', async () => {
    const server = await serverWith({ headers: { 'content-length': '5' }, body: '' });
    expect(await ask(client({ concurrency: 1 }), server, { method: 'HEAD' })).toEqual([200, '']);
  });

  it.each<[what: string, answer: ScriptedAnswer, method?: 'HEAD']>([
    ['a 503 of no length', { status: 503, headers: { 'content-length': '0' }, body: '' }],
    ['a 204', { status: 204, body: '' }],
    ['a 205', { status: 205, headers: { 'content-length': '0' }, body: '' }],
    ['a 304', { status: 304, body: '' }],
    ['HEAD', { headers: { 'content-length': '5' }, body: '' }, 'HEAD'],
  ])('frees its slot although nobody reads the answer: %s', async (_what, answer, method = undefined) => {
    const server = await serverWith(answer, {}, answer);
    for (const concurrency of [1, { adaptive: { max: 1 } }]) {
      const sender = client({ concurrency, retry: false });
      await sender.send(server.origin, { ...(method && { method }) });
      expect(await ask(sender, server)).toEqual([200, 'fine']);
    }
    expect(server.requests).toHaveLength(4);
  });

  it('frees the slot of an empty answer in chunks, although nobody reads it', async () => {
    const empty = { status: 503, headers: { 'transfer-encoding': 'chunked' }, body: '' };
    const server = await serverWith(empty, {}, empty);
    for (const concurrency of [1, { adaptive: { max: 1 } }]) {
      const sender = client({ concurrency, retry: false });
      await sender.send(server.origin);
      expect(await runByClock(clock, ask(sender, server))).toEqual([200, 'fine']);
    }
    expect(server.requests).toHaveLength(4);
  });

  it('waits for its turn before it sends', async () => {
    const server = await serverWith();
    const sender = client({ limit: slidingWindow({ limit: 1, window: '1s' }) });
    const startMs = clock.now();
    await runByClock(clock, Promise.all([ask(sender, server), ask(sender, server), ask(sender, server)]));
    expect(clock.now() - startMs).toBeGreaterThanOrEqual(2000);
    expect(server.requests).toHaveLength(3);
  });

  it('finds the concurrency of the server', async () => {
    const limits: number[] = [];
    const stop = subscribe('sluice:concurrency', ({ limit }) => void limits.push(limit));
    const server = await serverWith({}, { status: 503 });
    const sender = client({ concurrency: { adaptive: { initial: 1, max: 2 } }, retry: false });
    const statuses = [await ask(sender, server), await ask(sender, server)].map(([status]) => status);
    stop();
    expect([statuses, limits]).toEqual([
      [200, 503],
      [2, 1],
    ]);
  });

  it('holds a slot of an adaptive concurrency until the body has ended', async () => {
    // More than a transport reads ahead.
    const body = 'x'.repeat(3_000_000);
    const server = await serverWith({ body });
    const sender = client({ concurrency: { adaptive: { max: 1 } } });
    const first = await sender.send(server.origin);
    const second = ask(sender, server);
    await pause(20);
    expect(server.requests).toHaveLength(1);
    expect([(await first.text()).length, await second]).toEqual([body.length, [200, 'fine']]);
  });

  it('learns the limit that the server states', async () => {
    const stated = { 'ratelimit-policy': '"p";q=2;w=10', ratelimit: '"p";r=1;t=10' };
    const server = await serverWith({ headers: stated });
    const sender = client();
    await runByClock(clock, Promise.all([ask(sender, server), ask(sender, server), ask(sender, server)]));
    expect(server.timesMs.at(-1)).toBeGreaterThanOrEqual(10_000);
    expect(server.timesMs.slice(0, 2).every((ms) => ms < 1000)).toBe(true);
  });

  it('rejects a request whose turn comes after `maxWait`, and does not send it', async () => {
    const server = await serverWith();
    const sender = client({ limit: slidingWindow({ limit: 1, window: '10s' }), maxWait: '2s' });
    await ask(sender, server);
    await expect(ask(sender, server)).rejects.toMatchObject({ code: 'SLUICE_REFUSED' });
    await expect(ask(sender, server, { sluice: { maxWait: '0ms' } })).rejects.toMatchObject({ code: 'SLUICE_REFUSED' });
    const patient = ask(sender, server, { sluice: { maxWait: '1h' } });
    expect(await runByClock(clock, patient)).toEqual([200, 'fine']);
    expect(server.requests).toHaveLength(2);
  });

  it('rejects a wrong `maxWait` of a request', async () => {
    const server = await serverWith();
    const wrong = ask(client(), server, { sluice: { maxWait: 'soon' } });
    await expect(wrong).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'sluice.maxWait' });
    expect(server.requests).toHaveLength(0);
  });

  it('asks again after `Retry-After`, and hands on the second answer alone', async () => {
    const server = await serverWith({ ...refusal('3'), body: 'y'.repeat(300_000) });
    const answer = await runByClock(clock, ask(client(), server));
    expect(answer).toEqual([200, 'fine']);
    expect(server.timesMs[1]).toBeGreaterThanOrEqual(3000);
  });

  it('stops all processes that share the store', async () => {
    const server = await serverWith(refusal('30'));
    const memory = new MemoryStore({ clock });
    const [one, other] = [0, 1].map(() => client({ store: new StoreView(memory, clock), retry: false }));
    expect(await ask(one as Sender, server)).toEqual([429, 'too many']);
    expect(await runByClock(clock, ask(other as Sender, server))).toEqual([200, 'fine']);
    expect(server.timesMs[1]).toBeGreaterThanOrEqual(30_000);
  });

  it('hands on a refusal at once whose time is after `maxWait`', async () => {
    const server = await serverWith(refusal('3600'));
    expect(await ask(client(), server)).toEqual([429, 'too many']);
  });

  it('asks again with a pause of its own if the server has only failed for the moment', async () => {
    const server = await serverWith({ status: 502 }, { status: 503 });
    expect(await runByClock(clock, ask(client(), server))).toEqual([200, 'fine']);
    expect(server.requests).toHaveLength(3);
  });

  it('hands on the last failure after three attempts', async () => {
    const server = await serverWith({ status: 500 }, { status: 500 }, { status: 500, body: 'third' }, {});
    expect(await runByClock(clock, ask(client(), server))).toEqual([500, 'third']);
  });

  it('asks again if the connection broke before the answer', async () => {
    const server = await serverWith({ drop: 'before' });
    expect(await runByClock(clock, ask(client(), server))).toEqual([200, 'fine']);
  });

  it('rejects with the error of the transport if there is never an answer', async () => {
    const server = await serverWith();
    const { origin } = server;
    server.close();
    const asked = client()
      .send(origin)
      .catch((error: Error & { cause?: Error }) => error.cause ?? error);
    expect(await runByClock(clock, asked)).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('breaks off where the server broke off', async () => {
    const server = await serverWith({ drop: 'after' });
    const answer = await client({ concurrency: 1 }).send(server.origin);
    await expect(answer.text()).rejects.toThrow();
    expect(server.requests).toHaveLength(1);
  });

  it('sends a POST once, unless it has an `Idempotency-Key`', async () => {
    const server = await serverWith({ status: 503 }, { status: 503 });
    const post = { method: 'POST', body: 'order' } as const;
    expect(await ask(client(), server, post)).toEqual([503, 'fine']);
    const repeatable = { ...post, headers: { 'idempotency-key': '1' } };
    expect(await runByClock(clock, ask(client(), server, repeatable))).toEqual([200, 'fine']);
    expect(server.requests.map(({ body }) => body)).toEqual(['order', 'order', 'order']);
  });

  it('sends a body once that can be read only once', async () => {
    const server = await serverWith({ status: 503 });
    const put = { method: 'PUT', body: Readable.from(['a ', 'stream']) } as const;
    expect(await ask(client(), server, put)).toEqual([503, 'fine']);
    expect(server.requests).toMatchObject([{ body: 'a stream' }]);
  });

  it('ends a wait, and sends nothing, when the signal aborts', async () => {
    const server = await serverWith();
    const sender = client({ limit: slidingWindow({ limit: 1, window: '10s' }) });
    await ask(sender, server);
    const aborter = new AbortController();
    const waiting = ask(sender, server, { signal: aborter.signal });
    await until(() => clock.asleep() > 0);
    aborter.abort(new Error('not needed'));
    await expect(waiting).rejects.toThrow('not needed');
    expect(server.requests).toHaveLength(1);
  });

  it('sends nothing for a signal that has aborted', async () => {
    const server = await serverWith();
    const asked = ask(client(), server, { signal: AbortSignal.abort(new Error('too late')) });
    await expect(asked).rejects.toThrow('too late');
    expect(server.requests).toHaveLength(0);
  });

  it('holds its slot until the body has ended: read, cancelled or broken', async () => {
    const server = await serverWith({ body: 'z'.repeat(2_000_000) }, { drop: 'after' }, { body: 'third' });
    const sender = client({ concurrency: 1, retry: false });
    const first = await sender.send(server.origin);
    const second = sender.send(server.origin);
    await until(() => clock.asleep() > 0);
    expect(server.requests).toHaveLength(1);
    first.cancel();
    const broken = await runByClock(clock, second);
    await expect(broken.text()).rejects.toThrow();
    const third = await runByClock(clock, sender.send(server.origin));
    expect(await third.text()).toBe('third');
    expect(await runByClock(clock, ask(sender, server))).toEqual([200, 'fine']);
  });
});

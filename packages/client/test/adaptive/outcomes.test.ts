import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { MemoryStore } from '@sluice/core';
import { QueueClock } from '@sluice/test-kit/queue-clock';
import { runByClock } from '@sluice/test-kit/run-by-clock';
import { type AdaptiveConcurrencyOptions, limitedFetch } from '../../src/index.js';

const ORIGIN = 'http://server.example';
const STATED = { 'ratelimit-policy': '"p";q=100;w=10', ratelimit: '"p";r=0;t=10' };

type Answer = (clock: QueueClock, signal: AbortSignal) => Promise<Response>;

const answer =
  (status: number, headers: Record<string, string> = {}): Answer =>
  async () =>
    new Response(status === 204 ? null : 'text', { status, headers });

const failure =
  (error: Error): Answer =>
  async () => {
    throw error;
  };

/** An answer that never comes. The caller ends the request with this reason after 30 ms. */
const endedBy = (reason: unknown): Answer & { reason: unknown } =>
  Object.assign((clock: QueueClock, signal: AbortSignal) => clock.sleep(1e9, signal) as Promise<never>, { reason });

const late: Answer = async (clock) => {
  await clock.sleep(101);
  return new Response('text');
};

/** The concurrency after one call that has this outcome. */
async function limitAfter(
  outcome: Answer & { reason?: unknown },
  adaptive: AdaptiveConcurrencyOptions,
): Promise<number | undefined> {
  const clock = new QueueClock();
  const aborter = new AbortController();
  const api = limitedFetch({
    store: new MemoryStore({ clock }),
    retry: false,
    concurrency: { adaptive },
    fetch: (_input, init) => outcome(clock, init?.signal as AbortSignal),
  });
  const call = api(ORIGIN, { signal: aborter.signal }).catch(() => {});
  if (outcome.reason !== undefined) clock.sleep(30).then(() => aborter.abort(outcome.reason));
  await runByClock(clock, call);
  return api.concurrency(ORIGIN)?.limit;
}

describe('the adaptive concurrency', () => {
  it.each<[what: string, answer: Answer]>([
    ['200', answer(200)],
    ['204', answer(204)],
    ['301', answer(301)],
    ['400', answer(400)],
    ['401', answer(401)],
    ['404', answer(404)],
    ['408', answer(408)],
    ['422', answer(422)],
  ])('grows after %s, from one to two, and does not shrink', async (_what, outcome) => {
    expect(await limitAfter(outcome, { initial: 1 })).toBe(2);
    expect(await limitAfter(outcome, { initial: 8 })).toBe(8);
  });

  it.each<[what: string, answer: Answer]>([
    ['502', answer(502)],
    ['503', answer(503)],
    ['503 with `Retry-After`', answer(503, { 'retry-after': '1' })],
    ['504', answer(504)],
    ['529', answer(529)],
    ['429 of a server that states no limits', answer(429)],
    ['a connection that is refused', failure(new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') }))],
    ['a time-out of the transport', failure(Object.assign(new Error('late'), { code: 'UND_ERR_HEADERS_TIMEOUT' }))],
    ['a time-out that the caller has set', endedBy(new DOMException('late', 'TimeoutError'))],
    ['an answer that is later than `timeout`', late],
  ])('shrinks after %s', async (_what, outcome) => {
    expect(await limitAfter(outcome, { initial: 8, timeout: '100ms' })).toBe(4);
    expect(await limitAfter(outcome, { initial: 1, timeout: '100ms' })).toBe(1);
  });

  it.each<[what: string, answer: Answer]>([
    ['429 of a server that states its limits', answer(429, STATED)],
    ['500', answer(500)],
    ['501', answer(501)],
    ['an event stream', answer(200, { 'Content-Type': 'text/event-stream; charset=utf-8' })],
    ['an abort by the caller', endedBy(new DOMException('enough', 'AbortError'))],
    ['an abort by the caller for a reason of its own', endedBy(new Error('not needed any more'))],
  ])('stays as it is after %s', async (_what, outcome) => {
    expect(await limitAfter(outcome, { initial: 8, timeout: '100ms' })).toBe(8);
    expect(await limitAfter(outcome, { initial: 1, timeout: '100ms' })).toBe(1);
  });

  it('shrinks if the caller ends a request that is later than `timeout`', async () => {
    const ended = endedBy(new Error('not needed any more'));
    expect(await limitAfter(ended, { initial: 8, timeout: '20ms' })).toBe(4);
  });

  it('does not shrink because the caller is slow to read the body', async () => {
    const clock = new QueueClock();
    const api = limitedFetch({
      store: new MemoryStore({ clock }),
      concurrency: { adaptive: { initial: 1, timeout: '10ms' } },
      fetch: async () => new Response('text'),
    });
    const response = await api(ORIGIN);
    clock.advance(60_000);
    expect(api.concurrency(ORIGIN)).toEqual({ limit: 2, inFlight: 1, waiting: 0 });
    expect(await response.text()).toBe('text');
    await turnOfTheLoop();
    expect(api.concurrency(ORIGIN)).toEqual({ limit: 2, inFlight: 0, waiting: 0 });
  });
});

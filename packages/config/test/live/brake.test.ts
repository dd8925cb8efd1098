import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Controls, type LivePolicies, policies } from '@sluice/config';
import { createLimiter, type Limiter, MemoryStore, type PolicyEvent, subscribe } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { aRequest } from '../compile/a-file.js';
import { TextSource } from './text-source.js';

const text = (limit: number, extra = ''): string => `version: 1
keys: { customer: { header: x-api-key } }
policies:
  api:
    key: customer
    limits: [{ name: minute, limit: ${limit}, window: 1h }]
    rollout: [{ from: 2026-01-01T00:00:00Z, enforce: 50% }, { after: 1d, enforce: 1 }]
    brake: { refused: 5%, over: 5m }
${extra}`;

let clock: ManualClock;
let source: TextSource;
let live: LivePolicies<object, false>;
let limiter: Limiter<object, false>;
let events: PolicyEvent[];
let stop: () => void;

async function start(content: string, controls?: Controls): Promise<void> {
  clock = new ManualClock();
  source = new TextSource(content);
  live = await policies({ source, store: new MemoryStore({ clock }), ...(controls && { controls }) });
  limiter = createLimiter(live.policy('api'));
}

beforeEach(() => {
  events = [];
  stop = subscribe('sluice:policy', (event) => events.push(event));
});

afterEach(async () => {
  stop();
  await live.close();
});

/** Sends requests of so many keys, each so often. Returns how many keys were refused. */
function send(name: string, keys: number, times: number): number {
  const refused = new Set<number>();
  for (let time = 0; time < times; time += 1) {
    for (let i = 0; i < keys; i += 1) {
      if (!limiter.consume(aRequest({ 'x-api-key': `${name}${i}` })).allowed) refused.add(i);
    }
  }
  return refused.size;
}

describe('the brake of a rollout', () => {
  it('takes the policy back to shadow if too large a share of keys is refused, and tells so', async () => {
    await start(text(1));
    const refused = send('k', 400, 2);
    // It acted at the hundredth key, and nobody was refused after that.
    expect(refused).toBe(100);
    expect(live.status()).toMatchObject({ braked: ['api'], limits: [{ enforce: 0 }] });
    expect(events.at(-1)).toMatchObject({
      outcome: 'applied',
      by: 'brake',
      changes: [{ path: 'policies.api.rollout', from: 0.5, to: 0 }],
    });
    expect(limiter.consume(aRequest({ 'x-api-key': 'k1' }))).toMatchObject({ allowed: true, shadowed: true });
  });

  it('does not act on a flood from 50 keys, however many requests they send', async () => {
    await start(text(1));
    expect(send('flood', 50, 200)).toBeGreaterThan(10);
    expect(live.status().braked).toEqual([]);
    expect(send('flood', 1, 2)).toBeLessThanOrEqual(1);
  });

  it('does not act on a small share of keys, however many they are', async () => {
    await start(text(2));
    send('calm', 6_000, 1);
    expect(send('loud', 260, 3)).toBeGreaterThan(100);
    expect(live.status().braked).toEqual([]);
  });

  it('forgets keys after its time', async () => {
    await start(text(1));
    for (let i = 0; i < 6; i += 1) {
      expect(send(`round${i} `, 160, 2)).toBeLessThan(100);
      clock.advance('5m');
      clock.advance(1);
    }
    expect(live.status().braked).toEqual([]);
  });

  it('holds until the file changes the policy, also beyond the next step', async () => {
    await start(text(1));
    send('k', 400, 2);
    source.text = `${text(1)}  other:\n    limits: [{ limit: 1, window: 1m }]\n`;
    expect(await live.reload()).toMatchObject({ outcome: 'applied' });
    expect(live.status().braked).toEqual(['api']);
    await clock.untilSleeping(1);
    clock.advance('1d');
    await new Promise(setImmediate);
    expect(send('late', 5, 3)).toBe(0);
    source.text = `${text(2)}  other:\n    limits: [{ limit: 1, window: 1m }]\n`;
    expect(await live.reload()).toMatchObject({ outcome: 'applied' });
    expect(live.status().braked).toEqual([]);
    expect(send('now', 5, 3)).toBe(5);
  });

  it('does not forget keys when a file is applied that leaves the policy as it is', async () => {
    await start(text(1));
    let refused = 0;
    for (let i = 0; i < 8; i += 1) {
      refused += send(`part${i} `, 50, 2);
      source.text = `${text(1)}# ${i}\n`;
      expect(await live.reload()).toMatchObject({ outcome: 'applied' });
    }
    expect(refused).toBe(100);
    expect(live.status().braked).toEqual(['api']);
  });

  it('holds for a policy that the file has no more', async () => {
    const other = 'other:\n    limits: [{ limit: 1, window: 1m }, { limit: 1, window: 1h }]\n';
    await start(`${text(1)}  ${other}`);
    send('k', 400, 2);
    source.text = `version: 1\npolicies:\n  ${other}`;
    expect(await live.reload({ allowRemovals: true })).toMatchObject({ outcome: 'applied' });
    expect(send('k', 400, 1)).toBe(0);
  });

  it('acts for a policy that the file has no more', async () => {
    const other = 'other:\n    limits: [{ limit: 1, window: 1m }, { limit: 1, window: 1h }]\n';
    await start(`${text(1)}  ${other}`);
    source.text = `version: 1\npolicies:\n  ${other}`;
    expect(await live.reload({ allowRemovals: true })).toMatchObject({ outcome: 'applied' });
    expect(send('k', 400, 2)).toBe(100);
    expect(events.at(-1)).toMatchObject({
      by: 'brake',
      reason: expect.stringMatching(/^at least \d+ % of the enforced keys were refused$/),
      changes: [{ path: 'policies.api.rollout', from: 0.5, to: 0 }],
    });
  });

  it('is in the explanation once it has acted', async () => {
    await start(text(1));
    const sentences = () => live.explain()[0]?.sentences.map((one) => one.text);
    expect(sentences()).not.toContain('It only counts: no request is refused.');
    send('k', 400, 2);
    expect(sentences()).toContain('It only counts: no request is refused.');
  });

  it('holds even if the others know an older form of the policy, and cannot be told', async () => {
    const older = { enforcement: undefined, brakes: new Map([['api', 'older']]) };
    const rings: (() => void)[] = [];
    await start(text(1), {
      read: async () => older,
      setEnforcement: async () => {},
      setBrake: async () => Promise.reject(new Error('read only')),
      async *changes(signal) {
        while (!signal.aborted) {
          await new Promise<void>((resolve) => {
            rings.push(resolve);
            signal.addEventListener('abort', () => resolve());
          });
          yield;
        }
      },
    });
    send('k', 400, 2);
    for (const ring of rings.splice(0)) ring();
    await new Promise(setImmediate);
    expect(live.status().braked).toEqual(['api']);
  });

  it('acts only while a step is below 1', async () => {
    await start(text(1));
    await clock.untilSleeping(1);
    clock.advance('1d');
    await new Promise(setImmediate);
    expect(send('k', 400, 2)).toBe(400);
    expect(live.status().braked).toEqual([]);
  });

  it('begins to watch when the step begins, without a request for it', async () => {
    await start(text(1).replace('2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z'));
    expect(send('k', 400, 2)).toBe(0);
    await clock.untilSleeping(1);
    clock.advance('1h');
    await new Promise(setImmediate);
    expect(send('k', 400, 3)).toBe(100);
    expect(live.status().braked).toEqual(['api']);
  });
});

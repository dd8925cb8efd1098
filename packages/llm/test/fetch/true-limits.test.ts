import { afterEach, describe, expect, it } from '@jest/globals';
import { MemoryStore } from '@sluice/core';
import { createFakeProvider, type FakeProvider } from '@sluice/llm/testing';
import { QueueClock } from '@sluice/test-kit/queue-clock';
import { StoreView } from '../../../client/test/store-view.js';
import { chat, outgoing, runOver, Wire } from './outgoing.js';

const PLAN = { rpm: 60, tpm: 10_000 };
/** About 60 tokens, of which the answer makes 40. */
const PROMPT = 'Say something about the weather of the coming week. '.repeat(6);
const IS_FULL = process.env.SLUICE_PROVIDERS === 'full';
const MINUTES = IS_FULL ? 5 : 1.5;

let provider: FakeProvider | undefined;

afterEach(() => provider?.close());

/** A provider with these limits, and workers that share them. Those of one store are one process. */
async function start(stores: number) {
  const clock = new QueueClock();
  const wire = new Wire();
  provider = await createFakeProvider({ clock, ...PLAN, answer: { input: 60, output: 5000 } });
  const memory = new MemoryStore({ clock });
  const processes = Array.from({ length: stores }, () =>
    outgoing(PLAN, clock, { store: new StoreView(memory, clock), fetch: wire.fetch, maxWait: '1d' }),
  );
  return { clock, wire, provider, processes };
}

const call = (url: string, output: number) =>
  chat(url, { messages: [{ role: 'user', content: PROMPT }], max_tokens: output });

describe('a provider with true limits of 60 requests and 10,000 tokens a minute', () => {
  it(`refuses nobody of eight processes in ${MINUTES} minutes, and gets nothing for 700 ms after it said so`, async () => {
    const { clock, wire, provider, processes } = await start(8);
    const endMs = clock.now() + MINUTES * 60_000;
    const statuses: number[] = [];
    let isForced = false;
    const worker = async ({ fetch }: (typeof processes)[number]): Promise<void> => {
      while (clock.now() < endMs) {
        if (!isForced && clock.now() > endMs - 70_000) {
          isForced = true;
          provider.next({ refuse: { status: 429, retryAfterMs: 700 } });
        }
        statuses.push((await fetch(...call(provider.url, 40))).status);
      }
    };
    await runOver(clock, wire, Promise.all(processes.map(worker)));
    const refusals = statuses.filter((status) => status === 429);
    expect(refusals).toHaveLength(1);
    expect(statuses.length).toBeGreaterThanOrEqual(MINUTES * 54);
    // The clock stands while calls are under way, so those that were sent before the refusal came have its time.
    const refusedAtMs = provider.calls.find(({ status }) => status === 429)?.atMs ?? 0;
    const nextMs = provider.calls.map(({ atMs }) => atMs).find((atMs) => atMs > refusedAtMs) ?? 0;
    expect(nextMs - refusedAtMs).toBeGreaterThanOrEqual(700);
    if (!IS_FULL) return;
    const calls = `${statuses.length} calls of 8 processes in ${MINUTES} minutes`;
    process.stdout.write(`providers: ${calls}, none refused but the forced one\n`);
  });

  it('serves a call of 5,000 tokens among calls of 100 within two windows', async () => {
    const { clock, wire, provider, processes } = await start(1);
    const { fetch } = processes[0] as (typeof processes)[number];
    const endMs = clock.now() + (IS_FULL ? 180_000 : 130_000);
    let largeTookMs = Number.POSITIVE_INFINITY;
    const small = async (): Promise<void> => {
      while (clock.now() < endMs) expect((await fetch(...call(provider.url, 40))).status).toBe(200);
    };
    const large = async (): Promise<void> => {
      await clock.sleep(5000);
      const startMs = clock.now();
      expect((await fetch(...call(provider.url, 4940))).status).toBe(200);
      largeTookMs = clock.now() - startMs;
    };
    await runOver(clock, wire, Promise.all([...Array.from({ length: 8 }, small), large()]));
    expect(largeTookMs).toBeLessThanOrEqual(120_000);
  });
});

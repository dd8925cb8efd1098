import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type LlmOptions, readCall, type SettledEvent, type Usage, usd } from '../src/index.js';
import { type Job, limited, type PRICES } from './limited.js';

const events: SettledEvent[] = [];
const note = (event: unknown): void => void events.push(event as SettledEvent);

beforeEach(() => {
  events.length = 0;
  subscribe('sluice:llm-settled', note);
});
afterEach(() => void unsubscribe('sluice:llm-settled', note));

const PLAN = { rpm: 5, tpm: 1e6, perDay: usd('1') };
const USAGE: Usage = { input: 12, cacheRead: 0, cacheWrite: 0, output: 5, reasoning: 0, complete: true };
const CALL = readCall({ model: 'gpt-5.6', messages: [{ role: 'user', content: 'hello' }], max_tokens: 100 });

async function begin(options: Partial<LlmOptions<[Job]>> = {}) {
  const { llm, reserve } = limited({ plan: PLAN, ...options });
  return llm.meter(await reserve({ max_tokens: 100 }), CALL);
}

it('The channel sluice:llm-settled tells once what a call cost, beside what was estimated and held', async () => {
  const meter = await begin();
  await meter.settle(USAGE);
  await meter.end('broken');
  const held = { tokens: CALL.input + 100, microDollars: CALL.input + 1000 };
  expect(events).toEqual([{ policy: 'llm', call: CALL, end: 'complete', usage: USAGE, microDollars: 62, held }]);
});

it('It tells what a call is charged whose usage nobody stated, and that nothing is for one that was refused', async () => {
  for (const end of ['broken', 'abandoned', 'refused', 'unsent'] as const) await (await begin()).end(end);
  const held = CALL.input + 1000;
  expect(events.map(({ end, microDollars }) => [end, microDollars])).toEqual([
    ['broken', held],
    ['abandoned', held],
    ['refused', 0],
    ['unsent', 0],
  ]);
});

it('It has the cost without a limit of money, and none without prices', async () => {
  await (await begin({ plan: { rpm: 5 } })).settle(USAGE);
  await (await begin({ plan: { rpm: 5 }, prices: undefined as unknown as typeof PRICES })).settle(USAGE);
  expect(events.map(({ microDollars, held }) => ({ microDollars, held }))).toEqual([
    { microDollars: 62, held: {} },
    { microDollars: undefined, held: {} },
  ]);
});

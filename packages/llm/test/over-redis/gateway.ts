import { createLimiter } from '@sluice/core';
import { RedisStore } from '@sluice/redis';
import { Redis } from 'ioredis';
import { createLlm, readCall } from '../../src/index.js';
import { type Batch, BUDGET_PRICES, BODY as CAPPED, EXPECTED_OUTPUT, EXPECTED_PLAN, type Kind } from './budget.js';

// A gateway in a process of its own: it asks, sends what was admitted to the provider, and settles. It runs while its parent does.

const [, , port, provider, timeZone = 'UTC', budget] = process.argv;
const hold = process.argv[6] as Kind;
const isExpected = hold === 'expected';
const BODY: object = isExpected ? { ...CAPPED, max_tokens: undefined } : CAPPED;

const client = new Redis({ port: Number(port), host: '127.0.0.1' });
// Redis may not be there yet.
client.on('error', () => {});
const llm = createLlm<[object]>({
  call: (body) => body,
  plan: isExpected ? EXPECTED_PLAN : { perDay: Number(budget) },
  prices: BUDGET_PRICES,
  timeZone,
  hold,
  ...(isExpected && { expectedOutput: EXPECTED_OUTPUT }),
});
const store = new RedisStore({ client });
const limiter = createLimiter({ name: `llm-${hold}`, store, keyGenerator: () => 'acme', limits: llm.policy.limits });

async function call(): Promise<{ readonly allowed: boolean; readonly source: string }> {
  const reservation = await limiter.reserve(BODY);
  const { allowed, source } = reservation;
  if (!allowed) return { allowed, source };
  const meter = llm.meter(reservation, readCall(BODY));
  try {
    const answer = await fetch(`${provider}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(BODY) });
    await meter.response(answer).arrayBuffer();
  } catch {
    // The provider broke it off.
    await meter.end('broken');
  }
  await meter.ended;
  return { allowed, source };
}

process.on('message', async (calls: number) => {
  const answers = await Promise.all(Array.from({ length: calls }, call));
  const batch: Batch = {
    admitted: answers.filter(({ allowed }) => allowed).length,
    sources: [...new Set(answers.map(({ source }) => source))],
  };
  process.send?.(batch);
});
process.on('disconnect', () => process.exit());
process.send?.('ready');

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readCall } from '../../src/index.js';
import { createFakeProvider, type FakeAnswer, type FakeProvider } from '../../src/testing/index.js';
import { limited, usedOf } from '../limited.js';

let provider: FakeProvider;

beforeAll(async () => {
  provider = await createFakeProvider();
});
afterAll(() => provider.close());

const BODY = { model: 'gpt-5.6', input: 'hello', max_output_tokens: 1500 };

/** Sends a call of the responses API, and returns what it held and what it was charged in the end. */
async function tokensOf(answer: FakeAnswer, stream: boolean): Promise<{ held: number; charged: number }> {
  const { llm, limiter, job } = limited({ plan: { tpm: 100_000 } });
  const subject = { ...job(), body: { ...BODY, stream } };
  const reservation = await limiter.reserve(subject);
  const held = usedOf(reservation).tpm as number;
  provider.next(answer);
  const sent = await fetch(`${provider.url}/v1/responses`, {
    method: 'POST',
    body: JSON.stringify({ ...BODY, stream }),
  });
  const meter = llm.meter(reservation, readCall(subject.body));
  await meter.response(sent).text();
  await meter.end('complete');
  return { held, charged: usedOf(limiter.peek(subject, { cost: 0 }) as never).tpm as number };
}

describe.each([
  ['as JSON', false],
  ['as a stream', true],
])('A call of the responses API %s', (_how, stream) => {
  it('is charged its input and its output', async () => {
    const { held, charged } = await tokensOf({ input: 400, output: 300 }, stream);
    expect(held).toBeGreaterThan(1500);
    expect(charged).toBe(700);
  });

  it('is charged what it made, not its cap, if it ends as incomplete', async () => {
    const { charged } = await tokensOf({ input: 0, output: 64, incomplete: true }, stream);
    expect(charged).toBe(64);
  });
});

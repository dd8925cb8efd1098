import { Buffer } from 'node:buffer';
import { expect, it } from '@jest/globals';
import { createLimiter, MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import fc from 'fast-check';
import { createLlm, priceTable } from '../../src/index.js';
import { usedOf } from '../limited.js';

const MODEL = 'gpt-5.6';
const MAX_OUTPUT = 1000;
/** The most that a tool finds in one use, and a stored conversation has. */
const UNSEEN = 50;

/** What the provider takes, in micro-dollars for a million tokens, and for a search. */
const RATES: Readonly<Record<string, { input: bigint; read: bigint; write: bigint; hour: bigint; output: bigint }>> = {
  default: { input: 1_000_000n, read: 100_000n, write: 1_250_000n, hour: 2_000_000n, output: 10_000_000n },
  flex: { input: 500_000n, read: 50_000n, write: 625_000n, hour: 1_000_000n, output: 5_000_000n },
  priority: { input: 2_000_000n, read: 200_000n, write: 2_500_000n, hour: 4_000_000n, output: 20_000_000n },
};
const SEARCH = 10_000n;

const rates = (factor: string) =>
  ({
    default: { input: '1', cacheRead: '0.1', cacheWrite: { '5m': '1.25', '1h': '2' }, output: '10' },
    flex: { input: '0.5', cacheRead: '0.05', cacheWrite: { '5m': '0.625', '1h': '1' }, output: '5' },
    priority: { input: '2', cacheRead: '0.2', cacheWrite: { '5m': '2.5', '1h': '4' }, output: '20' },
  })[factor as 'default'];
const prices = priceTable({
  [MODEL]: {
    ...rates('default'),
    maxOutput: MAX_OUTPUT,
    tiers: { flex: rates('flex'), priority: rates('priority') },
    tools: { web_search: '0.01' },
  },
});

type Body = Readonly<Record<string, unknown>>;

/** A part of a call that a caller may or may not send. */
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

/** A part that is usually refused: with more of them, no call would pass. */
const seldom = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 15, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

const tools = fc.constantFrom<readonly object[]>(
  [],
  [{ type: 'function', function: { name: 'f', parameters: {} } }],
  [{ type: 'web_search' }],
  [{ type: 'web_search', max_uses: 1 }],
  [{ type: 'web_search_20250305', name: 'web_search', max_uses: 2 }],
  [{ type: 'web_search_20250305', name: 'web_search' }],
  [{ type: 'mcp', server_label: 'a' }],
  [{ type: 'file_search', vector_store_ids: ['a'] }],
);
const cap = maybe(fc.constantFrom(0, 1, 40, 700, 1_000_000));

const bodies: fc.Arbitrary<Body> = fc.record({
  kind: fc.constantFrom('chat', 'responses', 'messages'),
  text: fc.string({ unit: 'binary', maxLength: 60 }),
  max_tokens: cap,
  max_completion_tokens: cap,
  max_output_tokens: cap,
  n: maybe(fc.constantFrom(1, 3, 8)),
  stream: fc.boolean(),
  service_tier: maybe(fc.constantFrom('auto', 'default', 'flex', 'priority', 'priority', 'standard_only', 'scale')),
  tools: fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: tools }),
  max_tool_calls: maybe(fc.constantFrom(0, 1, 3)),
  web_search_options: seldom(fc.constant({})),
  background: maybe(fc.boolean()),
  models: seldom(fc.constant([MODEL, 'dear'])),
  modalities: seldom(fc.constantFrom(['text'], ['text', 'audio'])),
  previous_response_id: maybe(fc.constant('resp_1')),
  thinking: maybe(fc.constant({ type: 'enabled', budget_tokens: 300 })),
  context_management: seldom(fc.constant({ edits: [{ type: 'compact_20260112' }] })),
  speed: seldom(fc.constantFrom('fast', 'standard')),
});

const PATHS = { chat: '/v1/chat/completions', responses: '/v1/responses', messages: '/v1/messages' } as const;

function bodyOf({ kind, text, ...members }: Body): Body {
  const message = { role: 'user', content: text };
  return { model: MODEL, ...(kind === 'responses' ? { input: text } : { messages: [message] }), ...members };
}

/** How the provider behaves in one call: how much it works, how it splits the prompt, and how it ends. */
const moods = fc.record({
  effort: fc.constantFrom(0, 0.5, 1),
  tier: fc.constantFrom('default', 'flex', 'priority'),
  read: fc.constantFrom(0, 0.5, 1),
  write: fc.constantFrom(0, 0.5, 1),
  ends: fc.constantFrom('stated', 'stated', 'stated', 'unstated', 'broken', 'refused'),
});
type Mood = typeof moods extends fc.Arbitrary<infer M> ? M : never;

const numbers = (body: Body, names: readonly string[]): number[] =>
  names.map((name) => body[name]).filter((value): value is number => typeof value === 'number');

/** Works as a provider may: as much as the body lets it. Returns what it states, and what it bills. */
function work(kind: keyof typeof PATHS, body: Body, mood: Mood) {
  const asked = body.service_tier ?? 'auto';
  const served = asked === 'auto' ? mood.tier : asked === mood.tier ? mood.tier : 'default';
  const caps = numbers(body, ['max_tokens', 'max_completion_tokens', 'max_output_tokens']);
  const own = {
    chat: ['max_completion_tokens', 'max_tokens'],
    responses: ['max_output_tokens'],
    messages: ['max_tokens'],
  };
  const isCapped = numbers(body, own[kind]).length > 0;
  const { budget_tokens: thoughts = 0 } = (body.thinking ?? {}) as { readonly budget_tokens?: number };
  const most = isCapped ? Math.max(...caps, thoughts) : MAX_OUTPUT;
  const choices = typeof body.n === 'number' ? body.n : 1;
  const output = Math.floor(Math.min(most, MAX_OUTPUT) * choices * mood.effort);
  const [tool] = (body.tools ?? []) as readonly { readonly type: string; readonly max_uses?: number }[];
  const isSearch = tool?.type.startsWith('web_search') === true;
  const allowed = isSearch ? (tool.max_uses ?? (body.max_tool_calls as number)) : 0;
  const searches = Math.floor(allowed * mood.effort) + (body.web_search_options === undefined ? 0 : 1);
  const content = String(body.input ?? (body.messages as readonly { content: string }[])[0]?.content);
  // No tokenizer makes more tokens than bytes.
  const prompt = Buffer.byteLength(content) + (body.previous_response_id === undefined ? 0 : UNSEEN) + (tool ? 300 : 0);
  // After each search it reads everything again.
  const input = (searches + 1) * prompt + searches * output + ((searches * (searches + 1)) / 2) * UNSEEN;
  const cacheRead = Math.floor(input * mood.read);
  const cacheWrite = Math.floor((input - cacheRead) * mood.write);
  const rate = RATES[served as string] as (typeof RATES)[string];
  const writeRate = kind === 'messages' ? rate.hour : rate.input;
  const sum =
    BigInt(input - cacheRead - cacheWrite) * rate.input +
    BigInt(cacheRead) * rate.read +
    BigInt(cacheWrite) * writeRate +
    BigInt(output) * rate.output;
  const billed = Number((sum + 999_999n) / 1_000_000n + BigInt(searches) * SEARCH);
  return { usage: { input, cacheRead, cacheWrite, output, searches, served }, billed };
}

type Worked = ReturnType<typeof work>['usage'];

const STATED = {
  chat: (usage: Worked) => ({
    object: 'chat.completion',
    choices: [],
    service_tier: usage.served,
    usage: {
      prompt_tokens: usage.input,
      completion_tokens: usage.output,
      total_tokens: usage.input + usage.output,
      prompt_tokens_details: { cached_tokens: usage.cacheRead },
    },
  }),
  responses: (usage: Worked) => ({
    id: 'resp_2',
    object: 'response',
    status: 'completed',
    service_tier: usage.served,
    output: Array.from({ length: usage.searches }, () => ({ type: 'web_search_call' })),
    usage: {
      input_tokens: usage.input,
      output_tokens: usage.output,
      total_tokens: usage.input + usage.output,
      input_tokens_details: { cached_tokens: usage.cacheRead },
    },
  }),
  messages: (usage: Worked) => ({
    type: 'message',
    usage: {
      input_tokens: usage.input - usage.cacheRead - usage.cacheWrite,
      cache_read_input_tokens: usage.cacheRead,
      cache_creation_input_tokens: usage.cacheWrite,
      cache_creation: { ephemeral_1h_input_tokens: usage.cacheWrite },
      output_tokens: usage.output,
      service_tier: usage.served,
      server_tool_use: { web_search_requests: usage.searches },
    },
  }),
} as const;

function answerOf(kind: keyof typeof PATHS, usage: Worked, { ends }: Mood): Response {
  if (ends === 'refused') return Response.json({ error: { message: 'No' } }, { status: 500 });
  if (ends === 'unstated') return Response.json({ object: 'chat.completion', choices: [] });
  if (ends === 'broken') {
    return new Response(
      new ReadableStream({
        start: (controller) =>
          controller.enqueue(new TextEncoder().encode('data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n')),
        pull: (controller) => controller.error(new Error('broken')),
      }),
    );
  }
  return Response.json(STATED[kind](usage));
}

const CALLS_AT_ONCE = 3;
const runs = Number(process.env.SLUICE_RUNS ?? 20);

/** Lets callers and a provider do what they like. Returns what the provider bills, and what the budget counts. */
async function play(calls: readonly (readonly [body: Body, mood: Mood])[], budget: number) {
  const clock = new ManualClock();
  const llm = createLlm<[Request]>({
    call: (request) => request.clone().text(),
    plan: { perDay: budget, tpm: 1e9 },
    prices,
    body: { background: 'allow' },
    read: { unseen: UNSEEN },
    clock,
  });
  const store = new MemoryStore({ clock });
  const limiter = createLimiter<Request>({ name: 'llm', store, limits: llm.policy.limits, keyGenerator: () => 'ann' });
  let [billed, sent] = [0, 0];

  const call = async ([given, mood]: readonly [Body, Mood]): Promise<void> => {
    const kind = given.kind as keyof typeof PATHS;
    const request = new Request(`http://gateway${PATHS[kind]}`, {
      method: 'POST',
      body: JSON.stringify(bodyOf(given)),
    });
    const reservation = await Promise.resolve(limiter.reserve(request)).catch(() => undefined);
    if (!reservation) return;
    await llm.policy.extraHeaders(request, reservation);
    if (!reservation.allowed) return;
    const answer = await llm.relay(request, async (text) => {
      // All calls of a group are under way before one of them is answered.
      await new Promise(setImmediate);
      const worked = work(kind, JSON.parse(text) as Body, mood);
      sent += 1;
      if (mood.ends !== 'refused') billed += worked.billed;
      return answerOf(kind, worked.usage, mood);
    });
    await answer.text().catch(() => '');
  };

  for (let i = 0; i < calls.length; i += CALLS_AT_ONCE) {
    await Promise.all(calls.slice(i, i + CALLS_AT_ONCE).map(call));
    await new Promise(setImmediate);
  }
  const look = new Request('http://gateway/v1/messages', {
    method: 'POST',
    body: JSON.stringify({ model: MODEL, messages: [] }),
  });
  const { perDay = 0 } = usedOf(await limiter.peek(look));
  store.close();
  return { billed, counted: perDay, sent };
}

it('Whatever callers ask for, and however the provider works and ends, it bills at most the budget, and no more than is counted', async () => {
  let all = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(bodies, moods), { minLength: 6, maxLength: 18 }),
      fc.constantFrom(10_000, 60_000, 400_000, 5_000_000),
      async (calls, budget) => {
        const { billed, counted, sent } = await play(calls, budget);
        all += sent;
        expect(billed).toBeLessThanOrEqual(budget);
        expect(billed).toBeLessThanOrEqual(counted);
      },
    ),
    { numRuns: runs },
  );
  // The generator is no use if everything is refused.
  expect(all).toBeGreaterThan(2 * runs);
});

import { readCall } from '@sluice/llm';
import { type BudgetWork, ModelBudgets } from '../model-budgets.js';
import { CHUNK_BYTES, RELAYS } from '../model-stream.js';
import { processorMs } from '../processor-time.js';
import { warmRounds } from '../rounds.js';
import type { Scale } from '../scale.js';
import type { Section } from '../section.js';
import { differences, ratios, type Spread, spreadOf } from '../spread.js';
import type { Table } from '../table.js';

const US_PER_MS = 1000;

/** What a text of this many bytes may take to estimate, in milliseconds. */
const TEXT_BYTES = 200_000;

const TEXTS: ReadonlyMap<string, string> = new Map([
  ['English', 'The quick brown fox jumps over the lazy dog. '],
  ['one letter', 'a'],
  ['spaces', ' '],
  ['Chinese', '今天天气很好，我们去公园散步。'],
  ['base64', 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ'],
  ['emoji', '😀🎉👩‍💻'],
]);

/** What the limits of calls cost: each chunk of an answer, the estimate of a prompt, and the decision about budgets over Redis. */
export const modelCalls: Section = {
  title: 'Calls of language models',

  async *run(scale) {
    yield await chunks(scale);
    yield await estimates(scale);
    yield await budgets(scale);
  },
};

async function chunks({ rounds, allocations: count, warmUpMs }: Scale): Promise<Table> {
  const costOf = async (relay: (chunks: number) => Promise<ReadableStream<Uint8Array>>): Promise<number> => {
    const before = processorMs();
    for await (const _ of await relay(count));
    return ((processorMs() - before) * US_PER_MS) / count;
  };
  const subjects = new Map([...RELAYS].map(([name, relay]) => [name, () => costOf(relay)]));
  const costs = await warmRounds(warmUpMs.inProcess, rounds, subjects);
  const bare = costs.get('bare relay') ?? [];
  return {
    caption: `Microseconds of processor time for a chunk of ${CHUNK_BYTES} bytes`,
    head: ['', 'µs a chunk', 'more than bare', 'times bare'],
    rows: [...costs].map(([name, values]) => [name, spreadOf(values), differences(values, bare), ratios(values, bare)]),
  };
}

async function estimates({ rounds, warmUpMs }: Scale): Promise<Table> {
  const costOf = (body: object): number => {
    const before = processorMs();
    readCall(body);
    return processorMs() - before;
  };
  const subjects = new Map(
    [...TEXTS].map(([name, text]) => {
      const body = { model: 'gpt-5.6', messages: [{ role: 'user', content: filled(text) }] };
      return [name, () => costOf(body)];
    }),
  );
  const costs = await warmRounds(warmUpMs.inProcess, rounds, subjects);
  return {
    caption: `Milliseconds of processor time to read a call with ${TEXT_BYTES / 1000} KB of text`,
    head: ['', 'ms'],
    rows: [...costs].map(([name, values]) => [name, spreadOf(values)]),
  };
}

async function budgets({ rounds, warmUpMs, redisMs }: Scale): Promise<Table> {
  const calls = await ModelBudgets.start();
  try {
    const subjects = new Map(calls.names.map((name) => [name, () => calls.round(name, redisMs)]));
    const results = await warmRounds(warmUpMs.oneCaller, rounds, subjects);
    const valuesOf = (name: string, what: keyof BudgetWork): number[] =>
      (results.get(name) ?? []).map((work) => work[what]);
    const median = (name: string, what: keyof BudgetWork): number => spreadOf(valuesOf(name, what)).median;
    const [first = ''] = calls.names;
    const times = (name: string, what: keyof BudgetWork): Spread => ratios(valuesOf(name, what), valuesOf(first, what));
    return {
      caption: 'Budgets over Redis, decided before a call, one caller',
      head: [
        '',
        'round trips',
        'p50, µs',
        'p50, times one budget',
        "µs of Redis' processor",
        "Redis' processor, times",
        "µs of the caller's processor",
        'commands, with those in scripts',
      ],
      rows: calls.names.map((name) => [
        name,
        median(name, 'roundTrips'),
        median(name, 'p50Us'),
        times(name, 'p50Us'),
        median(name, 'redisUs'),
        times(name, 'redisUs'),
        median(name, 'processorUs'),
        median(name, 'commands'),
      ]),
      notes: [
        'The caller and Redis run wherever the scheduler puts them. A budget has a second count beside it, of what calls under way hold.',
      ],
    };
  } finally {
    await calls.end();
  }
}

/** Repeats a text until it has `TEXT_BYTES` bytes as UTF-8. */
function filled(text: string): string {
  return text.repeat(Math.ceil(TEXT_BYTES / Buffer.byteLength(text)));
}

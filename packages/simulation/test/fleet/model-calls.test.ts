import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Observation } from '../../src/fleet/observation.js';
import { play } from '../../src/fleet/play.js';
import { type Bundle, bundleOf } from '../../src/process/bundle.js';
import type { ModelCall, PlanSetup, Setup, Step, StoreSetup, Tape } from '../../src/tape/tape.js';

let bundle: Bundle;

beforeAll(async () => {
  bundle = await bundleOf(`${__dirname}/../../../..`);
});

const MEMORY: StoreSetup = { kind: 'memory' };
const TABLE: StoreSetup = { kind: 'table', server: 0, timeoutMs: 100, instances: 2 };

const REDIS: StoreSetup = { kind: 'redis', server: 0, timeoutMs: 100, instances: 2 };

const PLAN: PlanSetup = {
  name: 'llm',
  onStoreError: 'deny',
  limits: { rpm: 100, tpm: 10_000, parallel: 10, perDay: 1_000_000 },
  hold: 'expected',
  maxHoldMs: 60_000,
};

function tapeOf(
  steps: readonly Step[],
  plan: Partial<PlanSetup> = {},
  store = MEMORY,
  more: Partial<Setup> = {},
): Tape {
  const setup: Setup = {
    processes: [{ clockAheadMs: 0 }, { clockAheadMs: 40 }],
    servers: store.kind === 'table' || store.kind === 'redis' ? [{ kind: store.kind, clockAheadMs: 2000 }] : [],
    store,
    policies: [],
    plans: [{ ...PLAN, ...plan }],
    network: { delayMs: [1, 3], slow: 0, slowMs: 0, breaks: 0, twice: 0 },
    lastsMs: 20_000,
    ...more,
  };
  return { version: 1, chance: 5, setup, steps };
}

const call = (atMs: number, ends: ModelCall['ends'], more: Partial<ModelCall> = {}): Step => ({
  atMs,
  call: 'model-call',
  process: 0,
  plan: 0,
  subject: 0,
  dialect: 'openai-chat',
  inputTokens: 100,
  maxOutput: 80,
  outputTokens: 50,
  takesMs: 1000,
  ends,
  ...more,
});

const look = (atMs: number, process = 0): Step => ({ atMs, call: 'model-look', process, plan: 0, subject: 0 });

/** Returns what each look saw in use, whether each call was admitted, and how the calls went on. */
async function seenOf(tape: Tape) {
  const seen: Observation[] = [];
  const played = await play(tape, [bundle], (observation) => seen.push(observation));
  const steps = new Map(seen.flatMap((one) => (one.kind === 'call' ? [[one.call, one.step] as const] : [])));
  const decisions = seen.flatMap((one) => {
    const step = one.kind === 'answer' ? steps.get(one.call) : undefined;
    // The fleet itself looks at the end.
    if (one.kind !== 'answer' || !step || !('decision' in one.outcome) || step.atMs > tape.setup.lastsMs) return [];
    return [{ step, decision: one.outcome.decision }];
  });
  const looks = decisions.flatMap(({ step, decision }) =>
    step.call === 'model-look' ? [Object.fromEntries(decision.verdicts.map((one) => [one.name, one.used]))] : [],
  );
  const used = looks.map(({ held: _, ...limits }) => limits);
  const held = looks.map((look) => look.held);
  const admitted = decisions.flatMap(({ step, decision }) => (step.call === 'model-call' ? [decision.allowed] : []));
  return { played, used, held, admitted, seen };
}

describe.each([MEMORY, TABLE])('A call of a model over %j', (store) => {
  // Of the prompt, the provider counts 100 tokens, and the estimate is 108.
  it.each<[ends: ModelCall['ends'], more: Partial<ModelCall>, used: object]>([
    ['complete', {}, { rpm: 1, tpm: 150, parallel: 0, perDay: 600 }],
    ['complete', { dialect: 'openai-responses' }, { rpm: 1, tpm: 150, parallel: 0, perDay: 600 }],
    ['complete', { dialect: 'anthropic-messages' }, { rpm: 1, tpm: 150, parallel: 0, perDay: 600 }],
    ['complete', { isWhole: true }, { rpm: 1, tpm: 150, parallel: 0, perDay: 600 }],
    ['complete', { endsAgain: 'refused' }, { rpm: 1, tpm: 150, parallel: 0, perDay: 600 }],
    ['client-leaves', {}, { rpm: 1, tpm: 150, parallel: 0, perDay: 600 }],
    ['no-usage', {}, { rpm: 1, tpm: 158, parallel: 0, perDay: 908 }],
    ['wrong-usage', {}, { rpm: 1, tpm: 188, parallel: 0, perDay: 908 }],
    ['refused', {}, { rpm: 1, tpm: 0, parallel: 0, perDay: 0 }],
    ['refused', { endsAgain: 'abandoned' }, { rpm: 1, tpm: 0, parallel: 0, perDay: 0 }],
    ['unsent', {}, { rpm: 0, tpm: 0, parallel: 0, perDay: 0 }],
  ])('that ends as %j %j is charged as the documentation says', async (ends, more, expected) => {
    const { used, held, played } = await seenOf(tapeOf([call(1000, ends, more), look(3000)], {}, store));
    expect(used).toEqual([expected]);
    expect(held).toEqual([0]);
    expect(played.violation).toBeUndefined();
  });

  it('holds its estimate and a slot while it is under way', async () => {
    const { used, held } = await seenOf(tapeOf([call(1000, 'complete'), look(1500)], {}, store));
    expect(used).toEqual([{ rpm: 1, tpm: 188, parallel: 1, perDay: 908 }]);
    expect(held).toEqual([908]);
  });

  it('that breaks off is charged for what came until then, and at least the money that it held', async () => {
    const { used } = await seenOf(tapeOf([call(1000, 'broken'), look(3000)], {}, store));
    expect(used).toMatchObject([{ rpm: 1, parallel: 0, perDay: 908 }]);
    expect(used[0]?.tpm).toBeGreaterThan(108);
    expect(used[0]?.tpm).toBeLessThan(158);
  });

  it('that the application forgets keeps its charge, and loses its slot after the longest hold', async () => {
    const steps = [call(1000, 'never', { isWhole: true }), look(5900), look(8000)];
    const { used, held, played } = await seenOf(tapeOf(steps, { maxHoldMs: 5000 }, store));
    expect(used).toEqual([
      { rpm: 1, tpm: 188, parallel: 1, perDay: 908 },
      { rpm: 1, tpm: 188, parallel: 0, perDay: 908 },
    ]);
    expect(held).toEqual([908, 0]);
    expect(played.violation).toBeUndefined();
  });

  it('that dies with its process keeps its charge, and its slot until its lease ends', async () => {
    const died = (atMs: number): readonly Step[] => [
      call(1000, 'complete'),
      { atMs: 1500, fault: 'crash', process: 0 },
      look(atMs, 1),
    ];
    const { used } = await seenOf(tapeOf(died(5000), {}, store));
    // In memory, another process knows nothing of it.
    const counts = store === MEMORY ? 0 : 1;
    expect(used).toEqual([{ rpm: counts, tpm: 188 * counts, parallel: counts, perDay: 908 * counts }]);
    const later = await seenOf(tapeOf(died(33_000), {}, store, { lastsMs: 40_000 }));
    expect(later.used).toEqual([{ rpm: counts, tpm: 188 * counts, parallel: 0, perDay: 908 * counts }]);
    expect(later.played.violation).toBeUndefined();
  });

  it('leaves nothing behind at rest', async () => {
    const ends = [
      'complete',
      'broken',
      'refused',
      'unsent',
      'no-usage',
      'wrong-usage',
      'client-leaves',
      'never',
    ] as const;
    const { seen } = await seenOf(
      tapeOf(
        ends.map((end, i) => call(1000 + i, end)),
        {},
        store,
      ),
    );
    const rest = seen.at(-1);
    expect(rest).toMatchObject({ kind: 'rest', processes: [{ timers: 0 }, { timers: 0 }] });
    if (rest?.kind === 'rest') expect(rest.servers.map(({ keys }) => keys)).toEqual(store === MEMORY ? [] : [0]);
  });

  it('has the same history each time', async () => {
    const steps = Array.from({ length: 30 }, (_, i) =>
      call(i * 300, i % 5 === 0 ? 'broken' : 'complete', { process: i % 2 }),
    );
    const first = await play(tapeOf(steps, {}, store), [bundle]);
    expect(first.calls).toBeGreaterThan(30);
    expect(await play(tapeOf(steps, {}, store), [bundle])).toEqual(first);
  });
});

describe.each([MEMORY, TABLE])('A call whose prompt is partly stored at the provider, over %j', (store) => {
  const stored = { dialect: 'openai-responses', unseenTokens: 300 } as const;

  // It may have 400 tokens that nobody sees, beside the 105 of the estimate.
  it.each<[ends: ModelCall['ends'], used: object]>([
    ['complete', { rpm: 1, tpm: 450, parallel: 0, perDay: 900 }],
    ['no-usage', { rpm: 1, tpm: 585, parallel: 0, perDay: 1305 }],
    ['broken', { rpm: 1, tpm: 585, parallel: 0, perDay: 1305 }],
    ['wrong-usage', { rpm: 1, tpm: 585, parallel: 0, perDay: 1305 }],
    ['refused', { rpm: 1, tpm: 0, parallel: 0, perDay: 0 }],
  ])('is charged at least as held if it ends as %j without a usage', async (ends, expected) => {
    const steps = [call(1000, ends, stored), look(3000)];
    const { used, played } = await seenOf(tapeOf(steps, { unseen: 400 }, store));
    expect(used).toEqual([expected]);
    expect(played.violation).toBeUndefined();
  });
});

describe.each([MEMORY, TABLE])('A call in the background over %j', (store) => {
  const inBackground = { dialect: 'openai-responses', isWhole: true, fetchedAfterMs: 5000 } as const;

  it('holds its estimate and its slot until its answer is fetched', async () => {
    const steps = [call(1000, 'complete', inBackground), look(6900), look(8000)];
    const { used, held, played } = await seenOf(tapeOf(steps, {}, store));
    expect(used).toEqual([
      { rpm: 1, tpm: 185, parallel: 1, perDay: 905 },
      { rpm: 1, tpm: 150, parallel: 0, perDay: 600 },
    ]);
    expect(held).toEqual([905, 0]);
    expect(played.violation).toBeUndefined();
  });

  it.each<[what: string, more: Partial<ModelCall>]>([
    ['nobody fetches it', { ends: 'never' }],
    ['it is fetched too late', { fetchedAfterMs: 8000 }],
  ])('is charged as held if %s', async (_what, more) => {
    const steps = [call(1000, 'complete', { ...inBackground, ...more }), look(6900), look(12_000)];
    const { used, played } = await seenOf(tapeOf(steps, { maxHoldMs: 6000 }, store));
    expect(used).toEqual([
      { rpm: 1, tpm: 185, parallel: 1, perDay: 905 },
      { rpm: 1, tpm: 185, parallel: 0, perDay: 905 },
    ]);
    expect(played.violation).toBeUndefined();
  });
});

describe.each([MEMORY, TABLE, REDIS])('Thresholds of a budget over %j', (store) => {
  it('are reported once, by whichever process saw it', async () => {
    const steps = Array.from({ length: 6 }, (_, i) =>
      call(1000 + 500 * i, 'complete', { process: i % 2, takesMs: 100 }),
    );
    const { seen, played } = await seenOf(tapeOf(steps, { limits: { perDay: 3000 }, isWatched: true }, store));
    const reports = seen.flatMap((one) => (one.kind === 'event' ? [one.detail as { threshold: number }] : []));
    const thresholds = reports.map(({ threshold }) => threshold);
    // Each process has a budget of its own in memory: three calls of 600 of 3,000.
    expect(thresholds).toEqual(store === MEMORY ? [0.5, 0.5] : [0.5, 0.8, 1]);
    expect(played.violation).toBeUndefined();
  });
});

describe('Two processes over one table', () => {
  it('share a budget, and what all subjects share', async () => {
    const steps = [0, 1, 0, 1].map((process, i) => call(1000 + 100 * i, 'complete', { process, subject: i }));
    const alone = await seenOf(tapeOf(steps, { limits: { tpm: 400 } }, TABLE));
    expect(alone.admitted).toEqual([true, true, true, true]);
    const together = await seenOf(tapeOf(steps, { limits: { tpm: 400 }, together: { tpm: 400 } }, TABLE));
    expect(together.admitted).toEqual([true, true, false, false]);
    expect(together.played.violation).toBeUndefined();
  });

  it('share what a refused call gives back', async () => {
    const steps = [
      call(1000, 'refused'),
      call(1500, 'complete', { process: 1 }),
      call(3000, 'complete', { process: 1 }),
      look(5000, 0),
    ];
    const { admitted, used } = await seenOf(tapeOf(steps, { limits: { tpm: 200 } }, TABLE));
    expect(admitted).toEqual([true, false, true]);
    expect(used).toEqual([{ tpm: 150 }]);
  });

  it('never spend more than a budget by default, whatever the cap, and expect no more tokens than they may have', async () => {
    const steps = [undefined, 80, 4000].map((maxOutput, i): Step => {
      const { maxOutput: _, ...rest } = call(1000 + 500 * i, 'complete', { outputTokens: 4000 }) as ModelCall & Step;
      return maxOutput === undefined ? (rest as Step) : ({ ...rest, maxOutput } as Step);
    });
    const plan = { limits: { tpm: 100_000, perDay: 20_000 }, hold: 'default' } as const;
    const { seen, used, admitted, played } = await seenOf(tapeOf([...steps, look(8000, 1)], plan, TABLE));
    const stated = seen.flatMap((one) => (one.kind === 'model-call-ends' ? [one.stated?.output] : []));
    // Without a cap a call gets a quarter of the budget, less what the prompt can cost.
    expect(stated).toEqual([499, 80]);
    expect(admitted).toEqual([true, true, false]);
    expect(used).toEqual([{ tpm: 200 + 579, perDay: 200 + 5790 }]);
    expect(played.violation).toBeUndefined();
  });

  it('never use more than a limit with the ceiling, whatever the cap', async () => {
    const steps = [undefined, 80, 4000].map((maxOutput, i): Step => {
      const { maxOutput: _, ...rest } = call(1000 + 2000 * i, 'complete', { outputTokens: 4000 }) as ModelCall & Step;
      return maxOutput === undefined ? (rest as Step) : ({ ...rest, maxOutput } as Step);
    });
    const plan = { limits: { tpm: 2000 }, hold: 'ceiling' } as const;
    const { seen, used, admitted } = await seenOf(tapeOf([...steps, look(8000, 1)], plan, TABLE));
    const stated = seen.flatMap((one) => (one.kind === 'model-call-ends' ? [one.stated?.output] : []));
    // Without a cap a call gets a quarter of the limit.
    expect(stated).toEqual([500, 80]);
    expect(admitted).toEqual([true, true, false]);
    expect(used).toEqual([{ tpm: 780 }]);
  });
});

import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Observation } from '../../src/fleet/observation.js';
import { play } from '../../src/fleet/play.js';
import { type Bundle, bundleOf } from '../../src/process/bundle.js';
import { generateTape } from '../../src/search/generate.js';
import type { LimitNumbers, Setup, Step, StoreSetup, Tape } from '../../src/tape/tape.js';

let bundle: Bundle;

beforeAll(async () => {
  bundle = await bundleOf(`${__dirname}/../../../..`);
});

const REDIS: StoreSetup = { kind: 'redis', server: 0, timeoutMs: 50, instances: 2 };
const TABLE: StoreSetup = { kind: 'table', server: 1, timeoutMs: 100, instances: 2 };

/** Two processes, a Redis and a table, and one policy of ten units in ten seconds. */
function tapeOf(store: StoreSetup, steps: readonly Step[], more: Partial<Setup> = {}, chance = 5): Tape {
  const setup: Setup = {
    processes: [{ clockAheadMs: 0 }, { clockAheadMs: 40 }],
    servers: [
      { kind: 'redis', clockAheadMs: -1000 },
      { kind: 'table', clockAheadMs: 2000 },
    ],
    store,
    policies: [
      {
        name: 'api',
        onStoreError: 'deny',
        variants: [
          [{ name: 'window', limit: { algorithm: 'sliding-window', limit: 10, windowMs: 10_000 }, by: 'subject' }],
        ],
      },
    ],
    network: { delayMs: [1, 3], slow: 0, slowMs: 0, breaks: 0, twice: 0 },
    lastsMs: 20_000,
    ...more,
  };
  return { version: 1, chance, setup, steps };
}

const consume = (atMs: number, process: number, times = 1): Step => ({
  atMs,
  call: 'consume',
  process,
  policy: 0,
  subject: 0,
  cost: 1,
  times,
});

async function seenOf(tape: Tape) {
  const seen: Observation[] = [];
  const played = await play(tape, [bundle], (observation) => seen.push(observation));
  const answers = seen.flatMap((one) => (one.kind === 'answer' ? [one] : []));
  const steps = new Map(seen.flatMap((one) => (one.kind === 'call' ? [[one.call, one.step] as const] : [])));
  const consumed = answers.filter(({ call }) => steps.get(call)?.call === 'consume');
  const sources = consumed.map(({ outcome }) =>
    'decision' in outcome ? `${outcome.decision.source} ${outcome.decision.allowed ? 'allows' : 'refuses'}` : outcome,
  );
  return { played, seen, answers, consumed, sources };
}

const FORMS: readonly StoreSetup[] = [
  { kind: 'memory' },
  REDIS,
  TABLE,
  { kind: 'sharded', nodes: [REDIS, TABLE] },
  { kind: 'leased', of: REDIS, leaseMs: 1000 },
  { kind: 'leased', of: TABLE, leaseMs: 1000 },
  { kind: 'synced', of: REDIS, syncMs: 500, slice: 2 },
  { kind: 'leased', of: { kind: 'sharded', nodes: [REDIS, TABLE] }, leaseMs: 1000 },
];

describe('A fleet', () => {
  it('makes the same history, whatever the same code has played before', async () => {
    const [forwards, backwards] = await Promise.all([1, 2].map(() => bundleOf(`${__dirname}/../../../..`)));
    const seeds = Array.from({ length: 3 }, (_, i) => 41 + i);
    const historyOf = async (seed: number, code: Bundle | undefined) => {
      const { history, events } = await play(generateTape(seed), [code as Bundle]);
      return { seed, history, events };
    };
    const first = [];
    for (const seed of seeds) first.push(await historyOf(seed, forwards));
    const second = [];
    for (const seed of [...seeds].reverse()) second.unshift(await historyOf(seed, backwards));
    expect(second).toEqual(first);
  });

  it.each(FORMS)('lives through the same history each time, over %j', async (store) => {
    const steps = Array.from({ length: 60 }, (_, i) => consume(i * 37, i % 2, 1 + (i % 3)));
    const first = await play(tapeOf(store, steps), [bundle]);
    expect(first.violation).toBeUndefined();
    expect(first.calls).toBeGreaterThan(100);
    expect(await play(tapeOf(store, steps), [bundle])).toEqual(first);
    const other = await play(tapeOf(store, steps, {}, 6), [bundle]);
    if (store.kind !== 'memory') expect(other.history).not.toBe(first.history);
  });

  it.each([REDIS, TABLE])('shares one limit over %j', async (store) => {
    const { sources } = await seenOf(tapeOf(store, [consume(1000, 0, 8), consume(1000, 1, 8)]));
    expect(sources.filter((one) => one === 'store allows')).toHaveLength(10);
    expect(sources.filter((one) => one === 'store refuses')).toHaveLength(6);
  });

  it('decides by the choice of the policy while a server is gone, and by the server when it is back', async () => {
    const gone: Step = { atMs: 2000, fault: 'restart', server: 0, forMs: 3000, keeps: 'all' };
    const { sources } = await seenOf(tapeOf(REDIS, [consume(1000, 0), gone, consume(3000, 0), consume(8000, 0)]));
    expect(sources).toEqual(['store allows', 'deny refuses', 'store allows']);
  });

  it('lets a server that froze do late what nobody waits for any more', async () => {
    const frozen: Step = { atMs: 1000, fault: 'freeze', server: 1, forMs: 2000 };
    const { consumed, sources } = await seenOf(tapeOf(TABLE, [frozen, consume(1500, 0), consume(6000, 0)]));
    expect(sources).toEqual(['deny refuses', 'store allows']);
    expect((consumed[0]?.atMs ?? 0) - 1500).toBeCloseTo(100, 0);
  });

  it('is told what a stalled process did late', async () => {
    const stall: Step = { atMs: 1000, fault: 'stall', process: 0, forMs: 700 };
    const { consumed } = await seenOf(tapeOf({ kind: 'memory' }, [stall, consume(1200, 0)]));
    expect(consumed[0]).toMatchObject({ atMs: 1700, wasStalled: true });
  });

  it('hears no more of a process that crashed, and meets it again with a fresh memory', async () => {
    const steps: Step[] = [
      consume(1000, 0, 10),
      { atMs: 1500, fault: 'crash', process: 0 },
      consume(1600, 0),
      { atMs: 2000, fault: 'start', process: 0 },
      consume(2500, 0, 10),
    ];
    const { sources } = await seenOf(tapeOf({ kind: 'memory' }, steps));
    expect(sources).toEqual(new Array(20).fill('store allows'));
  });

  it('settles a reservation where it was made, hands charges over, and ends all that is held', async () => {
    const spend = { policy: 0, subject: 0, cost: 5 };
    const steps: Step[] = [
      { atMs: 1000, call: 'reserve', process: 0, as: 1, ...spend },
      { atMs: 1100, call: 'share', of: 1, as: 2, expiresMs: 60_000 },
      { atMs: 1200, call: 'correct', process: 1, charge: 2, actual: 1 },
      { atMs: 1300, call: 'correct', process: 1, charge: 2, actual: 1 },
      { atMs: 1400, call: 'peek', process: 1, ...spend },
    ];
    const { answers, seen } = await seenOf(tapeOf(REDIS, steps));
    expect(answers[2]?.outcome).toEqual({ result: 'applied' });
    expect(answers[3]?.outcome).toEqual({ result: 'repeated' });
    expect(answers[4]?.outcome).toMatchObject({ decision: { verdicts: [{ remaining: 9 }] } });
    expect(seen.at(-1)).toMatchObject({ kind: 'rest', servers: [{ keys: 0 }, { keys: 0 }] });
  });

  it('runs work in a line, replaces a policy, and closes a process', async () => {
    const by = { process: 0, policy: 0, subject: 0 };
    const steps: Step[] = [
      { atMs: 1000, call: 'run', ...by, cost: 1, worksForMs: 50, maxWaitMs: 1000 },
      { atMs: 2000, call: 'replace', process: 0, policy: 0, variant: 1 },
      consume(2100, 0),
      { atMs: 2200, call: 'close', process: 0 },
      consume(2300, 0),
    ];
    const tape = tapeOf(REDIS, steps);
    const [policy] = tape.setup.policies;
    const one = policy?.variants[0]?.[0];
    if (!policy || !one) throw new Error('the tape has a policy');
    const none = { ...one, limit: { algorithm: 'sliding-window', limit: 1, windowMs: 10_000 } } as const;
    const policies = [{ ...policy, variants: [[one], [none]] }];
    const { sources, seen } = await seenOf({ ...tape, setup: { ...tape.setup, policies } });
    expect(seen.flatMap((each) => (each.kind === 'work' || each.kind === 'work-over' ? [each.kind] : []))).toEqual([
      'work',
      'work-over',
    ]);
    expect(sources).toEqual(['store refuses']);
  });

  it('connects to a server that answers within the time for a connection, and then within that for a reply', async () => {
    const servers = [{ kind: 'redis', clockAheadMs: 0, farMs: 110 }] as const;
    const { sources } = await seenOf(tapeOf({ ...REDIS, timeoutMs: 1000 }, [consume(2000, 0)], { servers }));
    expect(sources).toEqual(['store allows']);
  });

  it('rests only after all who wait have spent, and their state has ended', async () => {
    const policies = [
      {
        name: 'api',
        onStoreError: 'deny',
        variants: [
          [{ name: 'bucket', limit: { algorithm: 'token-bucket', capacity: 171, refillRate: 1 }, by: 'subject' }],
        ],
      },
    ] as const;
    const run = {
      call: 'run',
      worksForMs: 10,
      maxWaitMs: 342_000,
      process: 0,
      policy: 0,
      subject: 0,
      cost: 63,
    } as const;
    const steps = Array.from({ length: 8 }, () => ({ ...run, atMs: 1000 }));
    const { seen } = await seenOf(tapeOf({ kind: 'memory' }, steps, { policies }));
    const rest = seen.find(({ kind }) => kind === 'rest');
    expect(rest).toMatchObject({ processes: [{ heldKeys: 0 }, { heldKeys: 0 }] });
  });

  it('rests until a bucket is full by the largest capacity that has written it', async () => {
    const limits: readonly LimitNumbers[] = [
      { algorithm: 'token-bucket', capacity: 100, refillRate: 0, keepForMs: 1000 },
      { algorithm: 'token-bucket', capacity: 5, refillRate: 0.01 },
    ];
    const variants = limits.map((limit) => [{ name: 'bucket', limit, by: 'subject' } as const]);
    const policies = [{ name: 'api', onStoreError: 'deny', variants }] as const;
    const replaced: Step = { atMs: 1200, call: 'replace', process: 0, policy: 0, variant: 1 };
    const steps = [consume(1000, 0), replaced, consume(1500, 0)];
    const { seen, played } = await seenOf(tapeOf(REDIS, steps, { policies }));
    expect(seen.find(({ kind }) => kind === 'rest')).toMatchObject({ servers: [{ keys: 0 }, { keys: 0 }] });
    expect(played.violation).toBeUndefined();
  });

  it('rests until the window of a leased limit has ended, which is longer by the lease', async () => {
    const store: StoreSetup = { kind: 'leased', of: REDIS, leaseMs: 1_000_000 };
    const { seen, played } = await seenOf(tapeOf(store, [consume(1000, 0)]));
    expect(seen.find(({ kind }) => kind === 'rest')).toMatchObject({ servers: [{ keys: 0 }, { keys: 0 }] });
    expect(played.violation).toBeUndefined();
  });

  it('rests until nobody is blocked any more by a bucket that never refills', async () => {
    const limit = {
      algorithm: 'token-bucket',
      capacity: 1,
      refillRate: 0,
      keepForMs: 1000,
      blockMs: 1_000_000,
    } as const;
    const policies = [
      { name: 'api', onStoreError: 'deny', variants: [[{ name: 'bucket', limit, by: 'subject' }]] },
    ] as const;
    const { seen, played } = await seenOf(tapeOf({ kind: 'memory' }, [consume(1000, 0, 2)], { policies }));
    expect(seen.find(({ kind }) => kind === 'rest')).toMatchObject({ processes: [{ heldKeys: 0 }, { heldKeys: 0 }] });
    expect(played.violation).toBeUndefined();
  });

  it('takes longer to a server that is far away', async () => {
    const servers = [
      { kind: 'redis', clockAheadMs: 0, farMs: 15 },
      { kind: 'table', clockAheadMs: 0 },
    ] as const;
    const tookMs = async (store: StoreSetup, chance: number): Promise<number> => {
      const { seen, consumed } = await seenOf(tapeOf(store, [consume(1000, 0)], { servers }, chance));
      const began = seen.find((one) => one.kind === 'call' && one.step.call === 'consume');
      return (consumed[0]?.atMs ?? 0) - (began?.atMs ?? 0);
    };
    expect(await tookMs(REDIS, 5)).toBeGreaterThan(30);
    expect(await tookMs(TABLE, 5)).toBeLessThan(30);
  });
});

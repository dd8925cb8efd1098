import { describe, expect, it } from '@jest/globals';
import type { Observation, Outcome } from '../../src/fleet/observation.js';
import { storyOf } from '../../src/search/story.js';
import type { CallStep, Step } from '../../src/tape/tape.js';
import { limitOf, tapeOf } from './tapes.js';

const consume: CallStep = { atMs: 200, call: 'consume', process: 1, policy: 0, subject: 0, cost: 80, times: 3 };

const verdict = { name: 'a', cost: 80, used: 80, resetAfterMs: 0, retryAfterMs: 0, delayMs: 0 } as const;

function decision(allowed: boolean, remaining: number): Outcome {
  const verdicts = [{ ...verdict, allowed, remaining }];
  return { decision: { allowed, source: 'store', retryAfterMs: allowed ? 0 : 4000, delayMs: 0, verdicts } };
}

function call(number: number, step: CallStep, outcome: Outcome, lateMs = 2): readonly Observation[] {
  const process = 'process' in step ? step.process : 0;
  const about = { policy: 'p0', subject: 's0', variant: 0 };
  return [
    { kind: 'call', call: number, atMs: step.atMs, process, step, ...about },
    { kind: 'answer', call: number, atMs: step.atMs + lateMs, wasStalled: false, outcome },
  ];
}

const bucket = limitOf({ limit: { algorithm: 'token-bucket', capacity: 200, refillRate: 10 } });
const crash = { atMs: 900, fault: 'crash', process: 1 } as const;
const settle: Step = { atMs: 1000, call: 'settle', of: 1, actual: 20 };
const reserve: Step = { atMs: 500, call: 'reserve', process: 0, policy: 0, subject: 0, cost: 1, as: 1 };
const tape = tapeOf([consume, reserve, crash, settle], {
  processes: [{ clockAheadMs: 0 }, { clockAheadMs: -5000 }, { clockAheadMs: 0 }],
  servers: [{ kind: 'redis', clockAheadMs: 0 }],
  store: { kind: 'leased', leaseMs: 1000, of: { kind: 'redis', server: 0, timeoutMs: 50, instances: 3 } },
  policies: [{ name: 'p0', onStoreError: 'deny', variants: [[bucket]] }],
});
const observations: readonly Observation[] = [
  { kind: 'began', setup: tape.setup, atMs: 0 },
  ...call(1, consume, decision(true, 120)),
  ...call(2, consume, decision(true, 40)),
  ...call(3, consume, decision(false, 40)),
  ...call(4, reserve, decision(true, 39), 120),
  { kind: 'fault', atMs: 900, fault: crash },
  ...call(5, settle, { done: true }),
  {
    kind: 'call',
    call: 6,
    atMs: 1100,
    process: 2,
    step: { ...consume, process: 2 },
    policy: 'p0',
    subject: 's0',
    variant: 0,
  },
];

describe('storyOf', () => {
  it('tells what there is, what happens, and what is wrong', () => {
    const violation = {
      invariant: 'bound',
      atMs: 1102,
      calls: [4],
      says: '260 units were admitted, and 219 is the most.',
    };
    expect(storyOf(tape, observations, violation)).toBe(
      [
        'Three processes (0 to 2) share a token bucket of 200 units (10 a second) through a LeasedStore with a lease of 1 s ' +
          "over a RedisStore on server 0. While the store fails, the policy p0 answers with 'deny'. " +
          'The clock of process 1 is 5 s behind.',
        '',
        '- At 0.2 s process 1 asks for 80 units of s0 3 times: 2 allowed, 1 refused for 4 s.',
        '> At 0.5 s process 0 reserves 1 unit of s0 as reservation 1: allowed, 120 ms later.',
        '- At 0.9 s process 1 crashes.',
        '- At 1 s process 0 settles reservation 1 with 20 units.',
        '- At 1.1 s process 2 asks for 80 units of s0 (no step of the tape): no answer yet.',
        '',
        'At 1.102 s this is wrong (bound): 260 units were admitted, and 219 is the most.',
      ].join('\n'),
    );
  });

  it('tells a run without a violation, too', () => {
    expect(storyOf(tapeOf([]), [], undefined)).toBe(
      'One process has a sliding window of 5 units in 1 s in a MemoryStore.\n\n\nNothing is wrong.',
    );
  });

  it('names the policy of a call if there are several', () => {
    const policies = ['p0', 'p1'].map((name) => ({ name, onStoreError: 'local', variants: [[limitOf()]] }) as const);
    const step: CallStep = { ...consume, policy: 1, process: 0 };
    const story = storyOf(tapeOf([step], { policies }), call(1, step, decision(true, 3)), undefined);
    expect(story).toContain('process 0 asks for 80 units of s0 by the policy p1: allowed.');
  });

  it('leaves out the middle of a long story, but for what is wrong', () => {
    const steps = Array.from({ length: 5000 }, (_, atMs): CallStep => ({ ...consume, atMs }));
    const seen = steps.flatMap((step, i) => call(i, step, decision(true, 3)));
    const lines = storyOf(tapeOf(steps), seen, { invariant: 'bound', atMs: 5000, calls: [2500], says: 'No.' }).split(
      '\n',
    );
    expect(lines.filter((line) => line.startsWith('- At '))).toHaveLength(1000);
    expect(lines).toContain('- (3999 lines are left out)');
    expect(lines).toContainEqual(expect.stringMatching(/^> At 2.5 s /));
  });

  it('tells several limits, and what is special about them', () => {
    const limits = [
      limitOf({ enforce: 0, cost: 2 }),
      limitOf({ name: 'b', by: 'everyone', limit: { algorithm: 'concurrency', limit: 3, leaseMs: 60_000 } }),
    ];
    const story = storyOf(
      tapeOf([], { policies: [{ name: 'p0', onStoreError: 'local', variants: [limits, limits] }] }),
      [],
      undefined,
    );
    expect(story).toContain(
      'One process has limits in a MemoryStore. The policy p0 has the limits "a", a sliding window',
    );
    expect(story).toContain(
      '5 units in 1 s (each request costs 2 units; not enforced) and "b", a concurrency limit of 3 with a lease of 1 min for all subjects together.',
    );
    expect(story).toContain('Variant 1 of the policy p0 has "a"');
  });
});

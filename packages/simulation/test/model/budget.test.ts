import { describe, expect, it } from '@jest/globals';
import { encodeKey, hash } from '@sluice/core/values';
import type { DecisionSeen, ModelCallEnds, VerdictSeen } from '../../src/fleet/observation.js';
import type { CallStep, FaultStep, ModelCall, PlanSetup, Setup, StoreSetup } from '../../src/tape/tape.js';
import { decisionOf, History, REDIS, setupOf, verdictOf } from './history.js';

const PLAN: PlanSetup = {
  name: 'llm',
  onStoreError: 'deny',
  limits: { tpm: 1000 },
  hold: 'expected',
  maxHoldMs: 900_000,
};

const STEP: ModelCall = {
  call: 'model-call',
  process: 0,
  plan: 0,
  subject: 0,
  dialect: 'openai-chat',
  inputTokens: 100,
  maxOutput: 300,
  outputTokens: 300,
  takesMs: 100,
  ends: 'complete',
};

/** A history begins that much later than a test says: nothing is sure of processes that have just started. */
const BEGIN_MS = 10_000;

/** A history of calls of models. Each call holds 400 tokens, or what a test says. */
class ModelHistory {
  readonly #history: History;
  #calls = 0;

  constructor(plan: Partial<PlanSetup> = {}, setup: Partial<Setup> = {}) {
    this.#history = new History(setupOf([], { policies: [], plans: [{ ...PLAN, ...plan }], ...setup }));
  }

  get broken(): readonly string[] {
    return this.#history.broken;
  }

  /** A call that is admitted within two milliseconds. Returns its number. */
  admitted(atMs: number, verdicts: readonly VerdictSeen[] = [held(400)], more: Partial<ModelCall> = {}): number {
    return this.#decided(atMs, { ...STEP, ...more }, decisionOf(verdicts));
  }

  refused(atMs: number, verdicts: readonly VerdictSeen[] = [held(400)]): this {
    this.#decided(atMs, STEP, decisionOf(verdicts, { allowed: false }));
    return this;
  }

  part(call: number, atMs: number, letters: number): this {
    this.#history.see({ kind: 'model-part', call, atMs: BEGIN_MS + atMs, letters });
    return this;
  }

  /** A call that ends, and is settled within two milliseconds, or later. */
  ended(call: number, atMs: number, how: ModelCallEnds['how'], stated?: ModelCallEnds['stated'], settledMs = 2): this {
    this.#history.see({ kind: 'model-call-ends', call, atMs: BEGIN_MS + atMs, how, ...(stated && { stated }) });
    this.#history.see({ kind: 'model-call-over', call, atMs: BEGIN_MS + atMs + settledMs });
    return this;
  }

  failed(call: number, atMs: number): this {
    this.#history.see({ kind: 'model-call-ends', call, atMs: BEGIN_MS + atMs, how: 'complete' });
    this.#history.see({ kind: 'model-call-over', call, atMs: BEGIN_MS + atMs + 2, hasFailed: true });
    return this;
  }

  /** A look at what is counted. */
  looked(atMs: number, used: number, name = 'tpm', process = 0): this {
    return this.lookedAt(atMs, [verdictOf({ name, used })], process);
  }

  lookedAt(atMs: number, verdicts: readonly VerdictSeen[], process = 0): this {
    const step = { call: 'model-look', process, plan: 0, subject: 0 } as const;
    this.#decided(atMs, step, decisionOf(verdicts));
    return this;
  }

  /** A process reports that 80 % of a budget are used. */
  reported(atMs: number, process = 0): this {
    const detail = { policy: 'llm', limit: 'perDay', threshold: 0.8, key: hash(encodeKey('s0')) };
    this.#history.see({ kind: 'event', atMs: BEGIN_MS + atMs, process, event: 'budget-reached', detail });
    return this;
  }

  atRest(): this {
    this.#history.see({ kind: 'rest', atMs: 1_000_000, processes: [], servers: [] });
    return this;
  }

  fault(fault: FaultStep): this {
    this.#history.fault({ ...fault, atMs: BEGIN_MS + fault.atMs });
    return this;
  }

  #decided(atMs: number, step: ModelStep, decision: DecisionSeen): number {
    this.#calls += 1;
    const call = this.#calls;
    const { process } = step;
    this.#history.see({
      kind: 'call',
      call,
      atMs: BEGIN_MS + atMs,
      process,
      step: { ...step, atMs } as CallStep,
      policy: 'llm',
      subject: 's0',
      variant: 0,
    });
    this.#history.end(call, BEGIN_MS + atMs + 2, { decision });
    return call;
  }
}

type ModelStep =
  | ModelCall
  | { readonly call: 'model-look'; readonly process: number; readonly plan: number; readonly subject: number };

const held = (cost: number, name = 'tpm'): VerdictSeen => verdictOf({ name, cost });

const ends: readonly (readonly [
  what: string,
  how: ModelCallEnds['how'],
  stated: ModelCallEnds['stated'],
  plan: Partial<PlanSetup>,
  least: number,
  most: number,
])[] = [
  ['a stated usage', 'complete', { input: 100, output: 50 }, {}, 150, 150],
  ['a usage that was stated before the stream broke', 'broken', { input: 100, output: 50 }, {}, 150, 150],
  ['no tokens, if the provider refuses', 'refused', undefined, {}, 0, 0],
  ['nothing, if it was not sent', 'unsent', undefined, {}, 0, 0],
  // Half of the text has come: 200 letters are 1 to 200 tokens.
  ['what was counted, if the stream breaks', 'broken', undefined, {}, 2, 1000],
  ['at least what was held, with the ceiling', 'broken', undefined, { hold: 'ceiling' }, 400, 1000],
  [
    "at least what was held, with unknownUsage: 'reserved'",
    'broken',
    undefined,
    { unknownUsage: 'reserved' },
    400,
    1000,
  ],
];

describe('budget-charged', () => {
  it.each(ends)('expects %s', (_what, how, stated, plan, least, most) => {
    const after = (used: number): readonly string[] => {
      const history = new ModelHistory({ ...plan, limits: { tpm: 10_000 } });
      const call = history.admitted(1000);
      return history.part(call, 1100, 200).ended(call, 1200, how, stated).looked(2000, used).broken;
    };
    expect(after(least)).toEqual([]);
    expect(after(most)).toEqual([]);
    expect(after(most + 1)).toEqual(['budget-charged']);
    if (least > 0) expect(after(least - 1)).toEqual(['budget-charged']);
  });

  it('counts the token that Anthropic reports before any text, if the stream breaks', () => {
    const broken = (dialect: ModelCall['dialect'], used: number): readonly string[] => {
      const history = new ModelHistory({ limits: { otpm: 1000 } });
      const call = history.admitted(1000, [held(300, 'otpm')], { dialect });
      return history.ended(call, 1200, 'broken').looked(2000, used, 'otpm').broken;
    };
    expect([broken('anthropic-messages', 1), broken('openai-chat', 0)]).toEqual([[], []]);
    expect([broken('anthropic-messages', 2), broken('openai-chat', 1)]).toEqual([
      ['budget-charged'],
      ['budget-charged'],
    ]);
  });

  it('says nothing of the limits of a node that may have failed, if another one refuses', () => {
    const nodes = [REDIS, { ...REDIS, server: 1 }];
    const refused = (store: StoreSetup): readonly string[] => {
      const servers = [0, 1].map(() => ({ kind: 'redis', clockAheadMs: 0 }) as const);
      const history = new ModelHistory({ together: { rpm: 1 } }, { servers, store });
      const all = { name: 'all-rpm', cost: 1 };
      history.admitted(1000, [held(400), verdictOf(all)]);
      return history.lookedAt(2000, [verdictOf({ name: 'tpm', used: 0 }), verdictOf({ ...all, allowed: false })])
        .broken;
    };
    expect(refused({ kind: 'sharded', nodes })).toEqual([]);
    expect(refused(REDIS)).toEqual(['budget-charged']);
  });

  it('lets a node keep what it charged for a refused call only if it may not take it back in time', () => {
    const refused = (limits: PlanSetup['limits'], mostDelayMs: number): readonly string[] => {
      const servers = [0, 1].map(() => ({ kind: 'redis', clockAheadMs: 0 }) as const);
      const network = { delayMs: [1, mostDelayMs], slow: 0, slowMs: 0, breaks: 0, twice: 0 } as const;
      const nodes = [REDIS, { ...REDIS, server: 1 }];
      const plan = { limits, together: { rpm: 1 } };
      const history = new ModelHistory(plan, { servers, network, store: { kind: 'sharded', nodes } });
      return history.refused(1000).looked(4000, 400).broken;
    };
    expect(refused({ tpm: 1000 }, 3)).toEqual(['budget-charged']);
    expect(refused({ tpm: 1000 }, 10)).toEqual([]);
    // A plan with a limit of money waits for half a second.
    expect(refused({ tpm: 1000, perDay: 1000 }, 10)).toEqual(['budget-charged']);
  });

  it('takes the estimate and the settlement for right while a call is being settled', () => {
    const seen = (used: number): readonly string[] => {
      const history = new ModelHistory();
      const call = history.admitted(1000);
      return history.ended(call, 1999, 'complete', { input: 100, output: 50 }).looked(2000, used).broken;
    };
    for (const used of [150, 400]) expect(seen(used)).toEqual([]);
    for (const used of [149, 401]) expect(seen(used)).toEqual(['budget-charged']);
  });

  it('counts what was charged for a minute, and at most a twentieth longer', () => {
    const seen = (atMs: number, used: number): readonly string[] => {
      const history = new ModelHistory();
      history.admitted(1000);
      return history.looked(atMs, used).broken;
    };
    expect(seen(60_990, 0)).toEqual(['budget-charged']);
    for (const used of [0, 400]) expect(seen(61_000, used)).toEqual([]);
    expect(seen(64_010, 400)).toEqual(['budget-charged']);
  });

  it('charges what a call costs beyond its estimate when it ends', () => {
    const seen = (atMs: number, used: number): readonly string[] => {
      const history = new ModelHistory({ limits: { tpm: 5000 } });
      const call = history.admitted(1000);
      return history.ended(call, 31_000, 'complete', { input: 100, output: 500 }).looked(atMs, used).broken;
    };
    expect(seen(70_000, 200)).toEqual([]);
    expect(seen(70_000, 600)).toEqual(['budget-charged']);
  });

  it('charges a call to the day in which it began', () => {
    const servers = [{ kind: 'redis', clockAheadMs: -20_000 }] as const;
    const seen = (began: number, used: number): readonly string[] => {
      const history = new ModelHistory({ limits: { perDay: 5000 } }, { servers });
      history.admitted(began, [held(3100, 'perDay')]);
      return history.looked(20_000, used, 'perDay').broken;
    };
    // The server's day ends ten seconds after the history began.
    expect(seen(5000, 0)).toEqual([]);
    expect(seen(5000, 3100)).toEqual(['budget-charged']);
    expect(seen(15_000, 3100)).toEqual([]);
    expect(seen(15_000, 0)).toEqual(['budget-charged']);
  });

  it('knows nothing after a loss, or if a clock was set', () => {
    for (const fault of [
      { atMs: 1500, fault: 'flush', server: 0 },
      { atMs: 1500, fault: 'set-clock', server: 0, byMs: 1 },
    ] as const) {
      const history = new ModelHistory();
      history.admitted(1000);
      expect(history.fault(fault).looked(2000, 0).broken).toEqual([]);
    }
  });

  it('does not know whether a call was settled that the store did not answer in time', () => {
    const seen = (settledMs: number, setup: Partial<Setup> = {}): readonly string[] => {
      const history = new ModelHistory({}, setup);
      const call = history.admitted(1000);
      history.ended(call, 2000, 'complete', { input: 1, output: 1 }, settledMs);
      return history.looked(10_000, 2).looked(10_100, 400).broken;
    };
    const slow = { delayMs: [1, 3], slow: 0.01, slowMs: 60, breaks: 0, twice: 0 } as const;
    expect(seen(2)).toEqual(['budget-charged']);
    expect(seen(50)).toEqual([]);
    expect(seen(2, { network: slow })).toEqual([]);
  });

  it('knows that a write which comes twice may be charged twice if others write, too', () => {
    const table: Partial<Setup> = {
      store: { kind: 'table', server: 0, timeoutMs: 50, instances: 2 },
      servers: [{ kind: 'table', clockAheadMs: 0 }],
      network: { delayMs: [1, 3], slow: 0, slowMs: 0, breaks: 0, twice: 0.01 },
    };
    const seen = (setup: Partial<Setup>): readonly string[] => {
      const history = new ModelHistory({}, setup);
      history.admitted(1000);
      return history.looked(2000, 800).broken;
    };
    expect(seen(table)).toEqual([]);
    expect(seen({ ...table, processes: [{ clockAheadMs: 0 }] })).toEqual(['budget-charged']);
  });

  it('knows that a call which was sent again may be charged again, or be refused because of its own charge', () => {
    const looked = (admits: boolean, used: number, setup: Partial<Setup> = {}): readonly string[] => {
      const history = new ModelHistory({}, setup);
      if (admits) history.admitted(1000);
      else history.refused(1000);
      return history.looked(2000, used).broken;
    };
    const network = { delayMs: [1, 3], slow: 0, slowMs: 0, breaks: 0.01, twice: 0 } as const;
    for (const used of [400, 800]) expect(looked(true, used, { network })).toEqual([]);
    for (const used of [399, 801]) expect(looked(true, used, { network })).toEqual(['budget-charged']);
    for (const used of [0, 400]) expect(looked(false, used, { network })).toEqual([]);
    expect(looked(false, 401, { network })).toEqual(['budget-charged']);
    expect(looked(true, 401)).toEqual(['budget-charged']);
    expect(looked(false, 1)).toEqual(['budget-charged']);
  });

  it('does not know whether a call was settled while its process was cut off', () => {
    const history = new ModelHistory();
    const call = history.admitted(1000);
    history.fault({ atMs: 1900, fault: 'cut', process: 0, server: 0, forMs: 500, how: 'broken' });
    history.ended(call, 2000, 'complete', { input: 1, output: 1 });
    expect(history.looked(10_000, 400).looked(10_100, 2).broken).toEqual([]);
  });
});

describe('what was held, as budget-charged knows it', () => {
  it.each([
    ['that nobody ends', 'never', 70_000],
    ['whose usage makes no sense', 'wrong-usage', 1200],
  ] as const)(
    'is the least that a call %s is charged, and the most that was counted is the most',
    (_what, how, atMs) => {
      const seen = (used: number): readonly string[] => {
        const history = new ModelHistory({ maxHoldMs: 1000, limits: { perDay: 10_000 } });
        const call = history.admitted(1000, [held(3000, 'perDay')], { ends: how });
        history.part(call, 1100, 500);
        if (how !== 'never') history.ended(call, atMs, 'complete');
        return history.looked(atMs + 1000, used, 'perDay').broken;
      };
      // Five hundred letters have come, which are as many tokens at most. With the prompt, they are 5,800.
      for (const used of [3000, 3500, 5800]) expect(seen(used)).toEqual([]);
      for (const used of [2999, 5801]) expect(seen(used)).toEqual(['budget-charged']);
    },
  );
});

describe('budget-admitted', () => {
  it('finds a call that was admitted beside others that hold too much', () => {
    const history = new ModelHistory();
    history.admitted(1000);
    history.admitted(1010);
    expect(history.broken).toEqual([]);
    history.admitted(1020);
    expect(history.broken).toEqual(['budget-admitted']);
  });

  it('lets others have what was given back, from the moment at which that begins', () => {
    const history = new ModelHistory();
    history.ended(history.admitted(1000), 1009, 'refused');
    history.admitted(1010);
    history.admitted(1020);
    expect(history.broken).toEqual([]);
  });
});

describe('budget-bound', () => {
  it.each([
    ['ceiling', undefined, 1000],
    ['expected', 2, 1000 + 2 * (600 - 400)],
  ] as const)('finds that calls of a minute used more than the bound: hold %s', (hold, parallel, bound) => {
    const used = (last: number): readonly string[] => {
      const history = new ModelHistory({ hold, limits: { tpm: 1000, ...(parallel && { parallel }) } });
      for (const [i, output] of [500, 500, last].entries()) {
        const call = history.admitted(1000 + 100 * i, [held(400)]);
        history.ended(call, 1050 + 100 * i, 'complete', { input: 100, output });
      }
      return history.broken;
    };
    // The first two use 600 each, and with the ceiling they pass the limit alone.
    if (bound > 1200) expect(used(bound - 1200 - 100)).not.toContain('budget-bound');
    expect(used(600)).toContain('budget-bound');
  });
});

describe('budget-slots', () => {
  const plan = { limits: { parallel: 2 } };
  const slot = [held(1, 'parallel')];

  it('finds a call too many', () => {
    const history = new ModelHistory(plan);
    for (const atMs of [1000, 1010]) history.admitted(atMs, slot);
    expect(history.broken).toEqual([]);
    history.admitted(1020, slot);
    expect(history.broken).toEqual(['budget-slots']);
  });

  it('expects a slot to be held until the call is over, and to be free then', () => {
    const history = new ModelHistory(plan);
    const call = history.admitted(1000, slot);
    expect(history.looked(30_000, 1, 'parallel').broken).toEqual([]);
    expect(history.looked(30_100, 0, 'parallel').broken).toEqual(['budget-slots']);
    history.ended(call, 30_200, 'broken');
    expect(history.looked(30_300, 0, 'parallel').broken).toEqual(['budget-slots']);
    expect(history.looked(30_400, 1, 'parallel').broken).toEqual(['budget-slots', 'budget-slots']);
  });

  it('expects the slot of a forgotten call to be free after the longest hold', () => {
    const history = new ModelHistory({ ...plan, maxHoldMs: 5000 });
    history.admitted(1000, slot, { ends: 'never' });
    expect(history.looked(5900, 0, 'parallel').broken).toEqual(['budget-slots']);
    // A correction may take a moment.
    expect(history.looked(6500, 1, 'parallel').looked(6600, 0, 'parallel').broken).toHaveLength(1);
    expect(history.looked(9000, 1, 'parallel').broken).toHaveLength(2);
  });

  it('knows that a crowded table may give a correction up, so that the lease ends the slot', () => {
    const store = { kind: 'table', server: 0, timeoutMs: 50, instances: 2 } as const;
    const servers = [{ kind: 'table', clockAheadMs: 0 }] as const;
    const history = new ModelHistory({ ...plan, maxHoldMs: 5000 }, { store, servers });
    history.admitted(1000, slot, { ends: 'never' });
    expect(history.looked(9000, 1, 'parallel').looked(37_000, 1, 'parallel').broken).toEqual([]);
    expect(history.looked(39_000, 1, 'parallel').broken).toEqual(['budget-slots']);
  });

  it('knows that a table may be left alone after calls that were late, so that the lease ends the slot of a call that is over', () => {
    const store = { kind: 'table', server: 0, timeoutMs: 100, instances: 1 } as const;
    const servers = [{ kind: 'table', clockAheadMs: 0 }] as const;
    const history = new ModelHistory(plan, { store, servers });
    history.ended(history.admitted(1000, slot), 1100, 'complete');
    expect(history.looked(2000, 1, 'parallel').looked(31_000, 1, 'parallel').broken).toEqual([]);
    expect(history.looked(33_000, 1, 'parallel').broken).toEqual(['budget-slots']);
  });

  it('expects the slot of a process that died to be free when its lease has ended', () => {
    const history = new ModelHistory(plan);
    history.admitted(1000, slot);
    history.fault({ atMs: 2000, fault: 'crash', process: 0 });
    expect(history.looked(31_000, 1, 'parallel', 1).looked(31_500, 0, 'parallel', 1).broken).toEqual([]);
    expect(history.looked(34_000, 1, 'parallel', 1).broken).toEqual(['budget-slots']);
  });

  it('knows that a call which was refused may hold the slot of a reply that was lost, until its lease ends', () => {
    const network = { delayMs: [1, 3], slow: 0, slowMs: 0, breaks: 0.01, twice: 0 } as const;
    const looked = (atMs: number, setup: Partial<Setup> = {}): readonly string[] =>
      new ModelHistory(plan, setup).refused(1000, slot).looked(atMs, 1, 'parallel').broken;
    expect(looked(31_500, { network })).toEqual([]);
    expect(looked(33_000, { network })).toEqual(['budget-slots']);
    expect(looked(2000)).toEqual(['budget-slots']);
  });

  it('knows that a process which died gives up no call', () => {
    const history = new ModelHistory({ ...plan, maxHoldMs: 5000 });
    history.admitted(1000, slot, { ends: 'never' });
    history.fault({ atMs: 3000, fault: 'crash', process: 0 });
    expect(history.looked(9000, 1, 'parallel', 1).broken).toEqual([]);
    expect(history.looked(35_000, 1, 'parallel', 1).broken).toEqual(['budget-slots']);
  });
});

describe('budget-settled', () => {
  it('finds a call that was not settled although nothing fails', () => {
    const history = new ModelHistory();
    expect(history.failed(history.admitted(1000), 2000).broken).toEqual(['budget-settled']);
  });

  it('lets a settlement fail while the server is frozen', () => {
    const history = new ModelHistory();
    const call = history.admitted(1000);
    history.fault({ atMs: 1900, fault: 'freeze', server: 0, forMs: 1000 });
    expect(history.failed(call, 2000).broken).toEqual([]);
  });
});

describe('budget-overspent', () => {
  const spend = (hold: PlanSetup['hold'], outputs: readonly number[]): readonly string[] => {
    const history = new ModelHistory({ limits: { perDay: 5000 }, hold });
    for (const [i, output] of outputs.entries()) {
      const call = history.admitted(1000 + i, [verdictOf({ name: 'perDay', cost: 100 })]);
      history.ended(call, 2000 + i, 'complete', { input: 100, output });
    }
    return history.broken;
  };

  it('finds calls of a day that cost more than the budget, if it holds the most', () => {
    expect(spend('default', [200, 280])).toEqual([]);
    expect(spend('default', [200, 281])).toEqual(['budget-overspent']);
    expect(spend('ceiling', [200, 281])).toEqual(['budget-overspent']);
    expect(spend('expected', [200, 281])).toEqual([]);
  });
});

describe('thresholds', () => {
  const watched = (setup: Partial<Setup> = {}): ModelHistory =>
    new ModelHistory({ limits: { perDay: 1000 }, isWatched: true }, setup);
  const used = (units: number) => [verdictOf({ name: 'perDay', cost: 1, used: units })];

  it('finds one that two processes report in a day, or one process twice', () => {
    for (const process of [0, 1]) {
      expect(watched().reported(1000).reported(2000, process).broken).toEqual(['threshold-once']);
    }
    expect(watched().reported(1000).reported(90_000_000, 1).broken).toEqual([]);
    expect(
      watched({ store: { kind: 'memory' } })
        .reported(1000)
        .reported(2000, 1).broken,
    ).toEqual([]);
  });

  it('finds one that was reached and that nobody reports', () => {
    const reached = watched();
    reached.admitted(1000, used(499));
    expect(reached.atRest().broken).toEqual([]);
    const untold = watched();
    untold.admitted(1000, used(800));
    expect(untold.atRest().broken).toEqual(['threshold-told']);
  });

  it('says nothing after a fault', () => {
    const history = watched().fault({ atMs: 500, fault: 'freeze', server: 0, forMs: 1000 });
    history.admitted(1000, used(800));
    expect(history.reported(1000).reported(2000, 1).atRest().broken).toEqual([]);
  });
});

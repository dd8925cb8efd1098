import { describe, expect, it } from '@jest/globals';
import type { Outcome } from '../../src/fleet/observation.js';
import type { CallStep, LimitNumbers, Setup, StoreSetup } from '../../src/tape/tape.js';
import { decisionOf, History, limitOf, REDIS, refusalOf, type Said, setupOf, verdictOf } from './history.js';

const SLIDING: LimitNumbers = { algorithm: 'sliding-window', limit: 100, windowMs: 10_000 };
const newHistory = (limit: LimitNumbers = SLIDING, more: Partial<Setup> = {}) =>
  new History(setupOf([limitOf(limit)], more));

describe('deadline', () => {
  const took = (ms: number, kind: CallStep['call'] = 'consume', said: Said = {}, more: Partial<Setup> = {}) => {
    const history = newHistory(SLIDING, more);
    history.end(history.begin(kind, 5000, said), 5000 + ms, { decision: decisionOf([]) });
    return history.broken;
  };

  it('finds an answer after the deadline of the store', () => {
    expect(took(60)).toEqual([]);
    expect(took(80)).toEqual(['deadline']);
    expect(took(80, 'wait', { maxWaitMs: 100 })).toEqual([]);
    expect(took(500, 'wait', { maxWaitMs: 100 })).toEqual(['deadline']);
  });

  it('knows one deadline for all nodes of a sharded store', () => {
    const node = { kind: 'redis', timeoutMs: 50, instances: 2 } as const;
    const store = { kind: 'sharded', nodes: [0, 1].map((server) => ({ ...node, server })) } as const;
    expect(took(90, 'consume', {}, { store })).toEqual(['deadline']);
  });

  it('allows for the time that the process stood still', () => {
    const history = newHistory();
    const call = history.begin('consume', 5000);
    history.fault({ atMs: 5001, fault: 'stall', process: 0, forMs: 300 });
    history.end(call, 5310, { decision: decisionOf([]) }, true);
    expect(history.broken).toEqual([]);
  });

  it('finds a call without an answer at rest, unless its process ended', () => {
    const rest = { kind: 'rest', atMs: 500_000, processes: [], servers: [] } as const;
    const left = newHistory();
    left.begin('consume', 5000);
    expect(left.see(rest).broken).toEqual(['deadline']);
    const ended = newHistory();
    ended.begin('consume', 5000);
    ended.fault({ atMs: 5001, fault: 'crash', process: 0 });
    expect(ended.see(rest).broken).toEqual([]);
  });
});

describe('errors', () => {
  const failed = (
    error: { name: string; code?: string },
    kind: CallStep['call'] = 'consume',
    history = newHistory(),
  ) => {
    const outcome: Outcome = { error: { message: 'it failed', ...error } };
    history.end(history.begin(kind, 5000, { maxWaitMs: 10, worksForMs: 10 }), 5002, outcome);
    return history.broken;
  };

  it.each([
    [{ name: 'TypeError' }],
    [{ name: 'Error' }],
    [{ name: 'SluiceError' }],
    [{ name: 'SluiceError', code: 'SLUICE_STORE' }],
    [{ name: 'SluiceError', code: 'SLUICE_CLOSED' }],
    [{ name: 'SluiceError', code: 'SLUICE_REFUSED' }],
    [{ name: 'SluiceError', code: 'SLUICE_UNSUPPORTED' }],
    [{ name: 'SluiceError', code: 'SLUICE_KEY' }],
  ])('finds that a decision failed with %j', (error) => {
    expect(failed(error)).toEqual(['errors']);
  });

  it('lets a correction fail because of the store, while the store fails', () => {
    const error = { name: 'SluiceError', code: 'SLUICE_STORE' };
    expect(failed(error, 'reset')).toEqual(['errors']);
    const history = newHistory();
    history.fault({ atMs: 4000, fault: 'freeze', server: 0, forMs: 500 });
    expect(failed(error, 'reset', history)).toEqual([]);
  });

  it('lets calls fail because their process closes, lines refuse, and requests of slots be impossible', () => {
    const closing = newHistory();
    closing.begin('close', 4990);
    expect(failed({ name: 'SluiceError', code: 'SLUICE_CLOSED' }, 'consume', closing)).toEqual([]);
    expect(failed({ name: 'SluiceError', code: 'SLUICE_REFUSED' }, 'run')).toEqual([]);
    const slots = newHistory({ algorithm: 'concurrency', limit: 1, leaseMs: 1000 });
    expect(failed({ name: 'SluiceError', code: 'SLUICE_UNSUPPORTED' }, 'consume', slots)).toEqual([]);
  });
});

describe('blocked', () => {
  it('finds an admission during a block by hand', () => {
    const history = newHistory();
    history.done('block', 2000, { forMs: 1000 });
    history.admitted('consume', 3000);
    expect(history.broken).toEqual([]);
    history.admitted('consume', 2900, { process: 1 });
    expect(history.broken).toEqual(['blocked']);
  });

  it('knows that a call which failed may lift a block later', () => {
    const blockedAt = (atMs: number): readonly string[] => {
      const history = newHistory();
      history.fault({ atMs: 1990, fault: 'freeze', server: 0, forMs: 50 });
      history.done('unblock', 2000, {}, { error: { name: 'SluiceError', code: 'SLUICE_STORE', message: 'no answer' } });
      history.done('block', atMs, { forMs: 1000 });
      history.admitted('consume', atMs + 100);
      return history.broken;
    };
    expect(blockedAt(2100)).toEqual([]);
    expect(blockedAt(4000)).toEqual(['blocked']);
  });

  it.each(['unblock', 'reset'] as const)('takes a block for lifted as soon as %s begins', (kind) => {
    const history = newHistory();
    history.done('block', 2000, { forMs: 1000 });
    history.begin(kind, 2100);
    history.admitted('consume', 2101);
    expect(history.broken).toEqual([]);
  });

  it('lets a caller go on that was admitted before the block, at the same moment', () => {
    const waiting = { maxWaitMs: 2000, worksForMs: 0 };
    const admitted = (began: 'before' | 'after'): readonly string[] => {
      const history = newHistory(SLIDING, { store: { kind: 'memory' }, servers: [] });
      const call = began === 'before' ? history.begin('run', 2000, waiting) : undefined;
      history.end(history.begin('block', 2000, { forMs: 5000 }), 2000, { done: true });
      history.end(call ?? history.begin('run', 2000, waiting), 3000, { decision: decisionOf([], { delayMs: 1000 }) });
      return history.broken;
    };
    expect(admitted('before')).toEqual([]);
    expect(admitted('after')).toEqual(['blocked']);
  });

  it('gives the other processes of a leased store a lease', () => {
    const history = newHistory(SLIDING, { store: { kind: 'leased', of: REDIS, leaseMs: 500 } });
    history.done('block', 2000, { forMs: 5000 });
    history.admitted('consume', 2400, { process: 1 });
    expect(history.broken).toEqual([]);
    history.admitted('consume', 2700, { process: 1 });
    history.admitted('consume', 2401, {});
    expect(history.broken).toEqual(['blocked', 'blocked']);
  });

  it.each([
    ['after', 2002],
    ['before', 2020],
  ])('lets a block be lost with the data of the server, or be ended by its clock, %s its answer', (_, answeredMs) => {
    for (const fault of [
      { atMs: 2010, fault: 'flush', server: 0 },
      { atMs: 2010, fault: 'set-clock', server: 0, byMs: 5000 },
    ] as const) {
      const history = newHistory();
      const block = history.begin('block', 2000, { forMs: 1000 });
      if (answeredMs > fault.atMs) history.fault(fault);
      history.end(block, answeredMs, { done: true });
      if (answeredMs < fault.atMs) history.fault(fault);
      history.admitted('consume', 2500);
      expect(history.broken).toEqual([]);
    }
  });

  it('finds an admission by a limit that blocks whom it refused', () => {
    const admitted = (atMs: number): readonly string[] => {
      const history = newHistory({ ...SLIDING, windowMs: 1000, limit: 1, blockMs: 2000 });
      history.admitted('consume', 2000);
      history.decided('consume', 2100, {}, refusalOf());
      history.admitted('consume', atMs);
      return history.broken;
    };
    expect(admitted(4090)).toEqual(['blocked']);
    expect(admitted(4110)).toEqual([]);
  });

  it('knows that a refused request of cost 0 begins no block', () => {
    const admittedAfter = (cost: number): readonly string[] => {
      const history = newHistory({ ...SLIDING, windowMs: 1000, limit: 1, blockMs: 2000 });
      history.admitted('charge', 2000, { cost: 2 });
      history.decided('consume', 2100, { cost }, refusalOf({ cost }));
      history.admitted('consume', 3500);
      return history.broken;
    };
    expect(admittedAfter(0)).toEqual([]);
    expect(admittedAfter(1)).toEqual(['blocked']);
  });

  it('does not know whether a reset that is under way comes after the refusal', () => {
    const history = newHistory({ ...SLIDING, windowMs: 1000, limit: 1, blockMs: 2000 });
    history.admitted('consume', 2000);
    const refused = history.begin('consume', 2100);
    const reset = history.begin('reset', 2101, { process: 1 });
    history.end(refused, 2102, { decision: refusalOf() });
    history.end(reset, 2103, { found: true });
    history.admitted('consume', 2200);
    expect(history.broken).toEqual([]);
  });

  it('knows that further refusals do not lengthen a block', () => {
    const history = newHistory({ ...SLIDING, windowMs: 1000, limit: 1, blockMs: 2000 });
    history.admitted('consume', 2000);
    history.decided('consume', 2100, {}, refusalOf());
    history.decided('consume', 4000, {}, refusalOf({ used: 0 }));
    history.admitted('consume', 4110);
    expect(history.broken).toEqual([]);
  });
});

describe('obeying', () => {
  const step = { atMs: 2000, call: 'obey', process: 0, policy: 0, subject: 0, cost: 1, times: 3 } as const;
  const asked = (history: History, call: number, atMs: number, decision: ReturnType<typeof decisionOf>): void => {
    history.see({ kind: 'call', call, atMs, process: 0, step, policy: 'p', subject: 's0', variant: 0 });
    history.end(call, atMs + 2, { decision });
  };
  const first = decisionOf([verdictOf({ used: 1, remaining: 0, retryAfterMs: 10_000 })]);
  const limit: LimitNumbers = { ...SLIDING, limit: 1 };

  it('finds a refusal of a client that came when it was told to', () => {
    const refusalsOf = (atMs: number) => {
      const history = newHistory({ algorithm: 'sliding-window-counter', limit: 1, windowMs: 10_000 });
      asked(history, 1, 2000, first);
      asked(history, 2, atMs, refusalOf());
      return history.broken;
    };
    expect(refusalsOf(12_002)).toEqual(['obeying']);
    expect(refusalsOf(12_001)).toEqual([]);
  });

  it('says nothing if somebody else uses the key', () => {
    const history = newHistory(limit);
    asked(history, 1, 2000, first);
    history.see({
      kind: 'call',
      call: 9,
      atMs: 5000,
      process: 1,
      step: { ...step, call: 'charge' },
      policy: 'p',
      subject: 's0',
      variant: 0,
    });
    asked(history, 2, 12_002, refusalOf());
    expect(history.broken).toEqual([]);
  });
});

describe('guaranteed', () => {
  const guarantee = { part: 2, total: 6, lend: 0 };
  const setup = setupOf([limitOf({ ...SLIDING, limit: 10 }, { by: 'everyone', guarantee })]);
  const refused = (used: number, cost = 1) => refusalOf({ used, cost });

  it('finds a tenant that is refused within its part', () => {
    const history = new History(setup);
    history.admitted('consume', 2000, { subject: 1, cost: 4 });
    history.admitted('consume', 2100);
    history.decided('consume', 2200, { cost: 2 }, refused(5, 2));
    expect(history.broken).toEqual([]);
    history.decided('consume', 2300, {}, refused(5));
    expect(history.broken).toEqual(['guaranteed']);
  });

  it('knows that a client which leaves a silent server may be charged twice', () => {
    const refusedAfter = (slowMs: number): readonly string[] => {
      const network = { delayMs: [1, 3], slow: 0.1, slowMs, breaks: 0, twice: 0 } as const;
      const history = new History({
        ...setup,
        store: { kind: 'redis', server: 0, timeoutMs: 2000, instances: 2 },
        network,
      });
      history.decided('consume', 2000, { cost: 2 }, refused(0, 2));
      return history.broken;
    };
    expect(refusedAfter(199)).toEqual(['guaranteed']);
    expect(refusedAfter(200)).toEqual([]);
  });

  it('promises nothing if the parts are more than the total', () => {
    const history = new History(setup);
    for (const subject of [1, 2, 3]) history.admitted('consume', 2000, { subject });
    history.decided('consume', 2300, {}, refused(3));
    expect(history.broken).toEqual([]);
  });
});

describe('shadow', () => {
  const setup = setupOf([limitOf(SLIDING, { enforce: 0 }), { ...limitOf(SLIDING), name: 'b' }]);
  const passing = verdictOf({ name: 'b', used: 0, remaining: 100 });

  it('finds a refusal by a limit that is not enforced', () => {
    const history = new History(setup);
    history.decided(
      'consume',
      2000,
      {},
      refusalOf({ shadow: true }, { verdicts: [verdictOf({ allowed: false, shadow: true }), passing] }),
    );
    history.decided('consume', 2100, {}, refusalOf({}, { verdicts: [verdictOf({ allowed: false }), passing] }));
    expect(history.broken).toEqual(['shadow', 'shadow']);
  });

  it('lets it report what it would do', () => {
    const history = new History(setup);
    const admitting = { ...passing, used: 1, remaining: 99 };
    history.decided('consume', 2000, {}, decisionOf([verdictOf({ allowed: false, shadow: true }), admitting]));
    expect(history.broken).toEqual([]);
  });
});

describe('bounded', () => {
  const atRest = (history: History, timers: number, keys: number): readonly string[] => {
    const processes = [{ process: 0, timers, heldKeys: 0 }];
    return history.see({ kind: 'rest', atMs: 500_000, processes, servers: [{ keys }] }).broken;
  };

  it('finds timers and keys that are left', () => {
    expect(atRest(newHistory(), 2, 0)).toEqual([]);
    expect(atRest(newHistory(), 40, 0)).toEqual(['bounded']);
    expect(atRest(newHistory(), 0, 5)).toEqual(['bounded']);
  });

  it('lets the probes of a table that is too slow stay for ten timeouts', () => {
    const store: StoreSetup = { kind: 'table', server: 0, timeoutMs: 480, instances: 2 };
    // A probe every 250 ms of each process, kept for 4.8 s, beside the lists of the policy.
    expect(atRest(newHistory(SLIDING, { store }), 0, 4 + 2 * 21)).toEqual([]);
    expect(atRest(newHistory(SLIDING, { store }), 0, 5 + 2 * 21)).toEqual(['bounded']);
  });

  it('lets blocks by hand and buckets that never refill stay', () => {
    const blocked = newHistory();
    blocked.done('block', 2000, { forMs: 10_000_000 });
    expect(atRest(blocked, 0, 11)).toEqual([]);
    const quota = newHistory({ algorithm: 'token-bucket', capacity: 10, refillRate: 0 });
    quota.admitted('consume', 2000);
    expect(atRest(quota, 0, 6)).toEqual([]);
    expect(atRest(quota, 0, 7)).toEqual(['bounded']);
  });

  it('finds the ids that stay of what several servers gave back each time that a call asked', () => {
    const bucket = { algorithm: 'token-bucket', capacity: 10, refillRate: 0 } as const;
    const store: StoreSetup = { kind: 'sharded', nodes: [REDIS, REDIS] };
    const limits = [limitOf(bucket), limitOf(bucket, { name: 'b', by: 'everyone' })];
    for (const call of ['run', 'wait', 'consume'] as const) {
      const history = new History(setupOf(limits, { store }));
      history.decided(call, 2000, { maxWaitMs: 20_000 }, decisionOf([]));
      expect(atRest(history, 0, 8)).toEqual([]);
      expect(atRest(history, 0, 9)).toEqual(['bounded']);
    }
  });
});

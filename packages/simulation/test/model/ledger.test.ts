import { describe, expect, it } from '@jest/globals';
import type { DecisionSeen, VerdictSeen } from '../../src/fleet/observation.js';
import type { LimitNumbers, LimitSetup, Setup } from '../../src/tape/tape.js';
import { decisionOf, History, limitOf, refusalOf, type Said, setupOf, verdictOf } from './history.js';

const SLIDING: LimitNumbers = { algorithm: 'sliding-window', limit: 10, windowMs: 10_000 };
const QUOTA: LimitNumbers = { algorithm: 'token-bucket', capacity: 10, refillRate: 0, keepForMs: 60_000 };
const FIXED: LimitNumbers = { algorithm: 'fixed-window', limit: 10, windowMs: 10_000, align: 'clock' };
/** One unit a second. */
const BUCKET: LimitNumbers = { algorithm: 'token-bucket', capacity: 10, refillRate: 1 };
const TWO = [limitOf(SLIDING), { ...limitOf(SLIDING), name: 'b' }];

/** An admission or a look that saw so many units in use. */
function used(units: number, said: Partial<VerdictSeen> = {}): DecisionSeen {
  return decisionOf([verdictOf({ used: units, remaining: Math.max(0, 10 - units), ...said })]);
}

class Ledger extends History {
  /** Admits some units, and says how many were in use then. */
  spend(atMs: number, cost: number, units: number, said: Said = {}): number {
    return this.decided('consume', atMs, { cost, ...said }, used(units, { cost }));
  }

  /** What is broken once a look has seen so many units in use. */
  look(atMs: number, units: number, said: Partial<VerdictSeen> = {}): readonly string[] {
    this.decided('peek', atMs, {}, used(units, said));
    return this.broken;
  }
}

const ledger = (limit: LimitNumbers = SLIDING, more: Partial<Setup> = {}) =>
  new Ledger(setupOf([limitOf(limit)], more));

describe('ledger', () => {
  it.each<[what: string, limit: LimitNumbers]>([
    ['a sliding window', SLIDING],
    ['a log', { ...SLIDING, algorithm: 'sliding-window-log' }],
    ['a fixed window', { ...FIXED, align: 'first-request' }],
    ['a bucket that never refills', QUOTA],
  ])('finds units that were lost, and units that nobody spent, of %s', (_what, limit) => {
    const spent = () => {
      const history = ledger(limit);
      history.spend(2000, 3, 3);
      return history;
    };
    expect(spent().look(5000, 3)).toEqual([]);
    expect(spent().look(5000, 2)).toEqual(['ledger']);
    expect(spent().look(5000, 4)).toEqual(['ledger']);
    expect(spent().look(5000, 3, { remaining: 8 })).toEqual(['ledger']);
    expect(spent().look(5000, 3, { remaining: 6 })).toEqual(['ledger']);
  });

  it('lets units end with their window', () => {
    const history = ledger();
    history.spend(2000, 3, 3);
    expect(history.look(12_100, 3)).toEqual([]);
    expect(history.look(12_100, 0)).toEqual([]);
    expect(history.look(12_600, 3)).toEqual(['ledger']);
  });

  it('knows by the answer which window of the clock it is about', () => {
    const history = ledger(FIXED);
    history.spend(12_000, 3, 3);
    expect(history.look(19_000, 3, { resetAfterMs: 1000 })).toEqual([]);
    history.spend(20_001, 1, 1);
    expect(history.look(21_000, 1, { resetAfterMs: 9000 })).toEqual([]);
    expect(history.look(21_000, 4, { resetAfterMs: 9000 })).toEqual(['ledger']);
  });

  it('gives units back that were settled or cancelled, not before', () => {
    const settled = (atMs: number, units: number) => {
      const history = ledger();
      const held = history.decided('reserve', 2000, { cost: 5 }, used(5, { cost: 5 }));
      const settle = history.begin('settle', 3000, { actual: 2 }, held);
      history.look(3001, 5);
      history.end(settle, 3002, { done: true });
      return history.look(atMs, units);
    };
    expect(settled(4000, 2)).toEqual([]);
    expect(settled(4000, 5)).toEqual(['ledger']);
    expect(settled(4000, 1)).toEqual(['ledger']);
  });

  it('knows that a bucket that never refills takes nothing back when it may have been forgotten', () => {
    const cancelledAt = (atMs: number, units: number): readonly string[] => {
      const history = ledger(QUOTA);
      const held = history.decided('reserve', 2000, { cost: 3 }, used(3, { cost: 3 }));
      history.spend(40_000, 2, 5);
      history.corrected('cancel', atMs, held);
      return history.look(70_000, units);
    };
    expect(cancelledAt(61_000, 2)).toEqual([]);
    expect(cancelledAt(61_000, 5)).toEqual(['ledger']);
    expect(cancelledAt(62_000, 2)).toEqual([]);
    expect(cancelledAt(62_000, 5)).toEqual([]);
  });

  it('knows that an operation takes no correction an hour after its charge', () => {
    const cancelledAt = (atMs: number, own: { readonly id?: string; readonly rememberMs?: number }) => {
      const history = ledger({ ...QUOTA, keepForMs: 86_400_000 }, { lastsMs: 9_000_000 });
      const held = history.decided('reserve', 2000, { cost: 3, ...own }, used(3, { cost: 3 }));
      history.corrected('cancel', atMs, held);
      return history.look(8_000_000, 3);
    };
    expect(cancelledAt(3_000_000, { id: 'x' })).toEqual(['ledger']);
    expect(cancelledAt(4_000_000, { id: 'x' })).toEqual([]);
    expect(cancelledAt(4_000_000, { id: 'x', rememberMs: 7_200_000 })).toEqual(['ledger']);
    expect(cancelledAt(4_000_000, {})).toEqual(['ledger']);
  });

  it('knows that a reservation which was handed over takes no correction after its end', () => {
    const cancelledAt = (atMs: number, units: number): readonly string[] => {
      const history = ledger();
      const held = history.decided('reserve', 2000, { cost: 3 }, used(3, { cost: 3 }));
      history.corrected('share', 2010, held, { expiresMs: 1000 });
      history.corrected('cancel', atMs, held);
      return history.look(5000, units);
    };
    expect([cancelledAt(2500, 0), cancelledAt(3500, 3), cancelledAt(3500, 0)]).toEqual([[], [], []]);
    expect(cancelledAt(2500, 3)).toEqual(['ledger']);
  });

  it('knows that an operation without a slot is not decided anew, although others of its policy have slots', () => {
    const window = limitOf(SLIDING);
    const slots = limitOf({ algorithm: 'concurrency', limit: 9, leaseMs: 60_000 }, { name: 'b' });
    const seen = (variants: readonly (readonly LimitSetup[])[], units: number): readonly string[] => {
      const history = new Ledger(setupOf(variants));
      const first = history.decided('reserve', 2000, { id: 'x' }, used(1));
      history.corrected('cancel', 2010, first);
      history.decided('reserve', 2020, { id: 'x' }, used(1));
      return history.look(3500, units);
    };
    expect(seen([[window], [slots]], 0)).toEqual([]);
    expect(seen([[window, slots]], 1)).toEqual([]);
    expect(seen([[window, slots]], 0)).toEqual(['ledger']);
  });

  it('knows that of two calls at the same time the second one may be decided first, and end by itself', () => {
    const seen = (secondMs: number, units: number): readonly string[] => {
      const history = ledger();
      const first = history.begin('reserve', 2000, { id: 'x', rememberMs: 1 });
      history.end(first, 2004, { decision: used(1) });
      history.decided('reserve', secondMs, { id: 'x', process: 1, expiresMs: 10, onExpiry: 'giveBack' }, used(1));
      return history.look(3500, units);
    };
    const overlapping = (units: number): readonly string[] => {
      const history = ledger();
      const first = history.begin('reserve', 2000, { id: 'x', rememberMs: 1 });
      history.decided('reserve', 2001, { id: 'x', process: 1, expiresMs: 10, onExpiry: 'giveBack' }, used(1));
      history.end(first, 2004, { decision: used(1) });
      return history.look(3500, units);
    };
    expect([overlapping(0), overlapping(1), seen(2005, 1)]).toEqual([[], [], []]);
    expect(seen(2005, 0)).toEqual(['ledger']);
  });

  it('charges what a settlement adds', () => {
    const history = ledger();
    const held = history.decided('reserve', 2000, { cost: 2 }, used(2, { cost: 2 }));
    history.corrected('settle', 3000, held, { actual: 6 });
    expect(history.look(4000, 6)).toEqual([]);
    expect(history.look(4000, 7)).toEqual(['ledger']);
  });

  it('finds a repeated call that is charged again', () => {
    const history = ledger();
    for (const atMs of [2000, 2100]) history.decided('consume', atMs, { id: 'x', cost: 2 }, used(2, { cost: 2 }));
    expect(history.look(3000, 2)).toEqual([]);
    expect(history.look(3000, 4)).toEqual(['ledger']);
  });

  it('takes the charge of an answer that was lost for possible', () => {
    const history = ledger();
    history.fault({ atMs: 1999, fault: 'freeze', server: 0, forMs: 100 });
    history.decided('consume', 2000, { cost: 3 }, decisionOf([], { source: 'local' }));
    expect(history.look(6000, 0)).toEqual([]);
    expect(history.look(6000, 3)).toEqual([]);
    expect(history.look(6000, 7)).toEqual(['ledger']);
  });

  it('knows that a call whose connection breaks may have been charged before it was sent again', () => {
    const seen = (breaks: number, decision: DecisionSeen): readonly string[] => {
      const history = ledger(SLIDING, { network: { delayMs: [1, 3], slow: 0, slowMs: 0, breaks, twice: 0 } });
      history.end(history.begin('consume', 2000, { cost: 6 }), 2049, { decision });
      return history.broken;
    };
    const admitted = (units: number) => used(units, { cost: 6 });
    const refused = refusalOf({ cost: 6, used: 6, remaining: 4 });
    expect([seen(0.01, admitted(6)), seen(0.01, admitted(12)), seen(0.01, refused)]).toEqual([[], [], []]);
    expect(seen(0, admitted(12))).toEqual(['ledger']);
    expect(seen(0, refused)).toEqual(['ledger']);
    expect(seen(0.01, admitted(18))).toEqual(['ledger']);
  });

  it('knows that a charge without a check may be made long after the store failed', () => {
    const seenAfter = (call: 'charge' | 'consume'): readonly string[] => {
      const history = ledger();
      history.fault({ atMs: 1990, fault: 'restart', server: 0, forMs: 1000, keeps: 'all' });
      history.decided(call, 2000, { cost: 2 }, { ...used(2, { cost: 2 }), source: 'local' });
      return history.look(12_900, 2);
    };
    expect(seenAfter('consume')).toEqual(['ledger']);
    expect(seenAfter('charge')).toEqual([]);
  });

  it('knows that a settlement may be made long after the store failed, and adds units then', () => {
    const seen = (units: number, isFrozen: boolean, actual = 5): readonly string[] => {
      const history = ledger();
      const held = history.decided('reserve', 2000, { cost: 3 }, used(3, { cost: 3 }));
      if (isFrozen) history.fault({ atMs: 2010, fault: 'freeze', server: 0, forMs: 20_000 });
      history.corrected('settle', 2020, held, { actual });
      return history.look(23_000, units);
    };
    expect(seen(2, true)).toEqual([]);
    expect(seen(3, true)).toEqual(['ledger']);
    expect(seen(1, true, 3)).toEqual(['ledger']);
    expect(seen(1, false)).toEqual(['ledger']);
  });

  it('knows that a node may give back after a reset what it charged before', () => {
    const nodes = [0, 1].map((server) => ({ kind: 'redis', timeoutMs: 50, instances: 1, server }) as const);
    const servers = [0, 1].map(() => ({ kind: 'redis', clockAheadMs: 0 }) as const);
    const seen = (units: number, resetMs: number, by: 'everyone' | 'subject' = 'everyone'): readonly string[] => {
      const limits = [limitOf(SLIDING), { ...limitOf(SLIDING), name: 'b', by }];
      const history = new Ledger(setupOf(limits, { store: { kind: 'sharded', nodes }, servers }));
      const first = history.begin('consume', 3000, { cost: 2 });
      const other = verdictOf({ name: 'b', allowed: false, cost: 11, used: 0, remaining: 10 });
      if (resetMs < 3020) history.done('reset', resetMs);
      history.end(first, 3020, { decision: decisionOf([other], { allowed: false }) });
      if (resetMs >= 3020) history.done('reset', resetMs);
      history.spend(7000, 3, 3);
      return history.look(8000, units);
    };
    for (const units of [1, 3]) expect(seen(units, 3010)).toEqual([]);
    expect(seen(0, 3010)).toEqual(['ledger']);
    expect(seen(1, 2500)).toEqual(['ledger']);
    expect(seen(1, 6000)).toEqual(['ledger']);
    expect(seen(1, 3010, 'subject')).toEqual(['ledger']);
  });

  it('says nothing once a server has lost its data', () => {
    const history = ledger();
    history.spend(2000, 3, 3);
    history.fault({ atMs: 3000, fault: 'flush', server: 0 });
    expect(history.look(4000, 0)).toEqual([]);
  });

  it('finds a refusal although there is room', () => {
    const history = ledger();
    history.spend(2000, 8, 8);
    history.decided('consume', 3000, { cost: 3 }, refusalOf({ cost: 3, used: 8, remaining: 2 }));
    expect(history.broken).toEqual([]);
    history.decided('consume', 3001, { cost: 2 }, refusalOf({ cost: 2, used: 8, remaining: 2 }));
    expect(history.broken).toEqual(['ledger']);
  });

  it('lets a remembered refusal be a tenth of a second old', () => {
    const refusedAt = (atMs: number) => {
      const history = ledger();
      const held = history.decided('reserve', 2000, { cost: 9 }, used(9, { cost: 9 }));
      history.corrected('cancel', 3000, held, { process: 1 });
      history.decided('consume', atMs, { cost: 2 }, refusalOf({ cost: 2, used: 9, remaining: 1 }));
      return history.broken;
    };
    expect(refusedAt(3050)).toEqual([]);
    expect(refusedAt(3200)).toEqual(['ledger']);
  });

  it('lets units of other processes count as used over a leased store', () => {
    const store = {
      kind: 'leased',
      of: { kind: 'redis', server: 0, timeoutMs: 50, instances: 2 },
      leaseMs: 1000,
    } as const;
    const history = ledger(SLIDING, { store });
    history.spend(2000, 3, 3);
    expect(history.look(9000, 7)).toEqual([]);
    expect(history.look(9000, 2)).toEqual(['ledger']);
  });
});

describe('ledger of a bucket that refills', () => {
  it('finds more left than the bucket can hold after what was taken', () => {
    const seen = (atMs: number, units: number) => {
      const history = ledger(BUCKET);
      history.spend(2000, 6, 6);
      return history.look(atMs, units);
    };
    expect(seen(2500, 6)).toEqual([]);
    expect(seen(2500, 5)).toEqual(['ledger']);
    expect(seen(5000, 3)).toEqual([]);
    expect(seen(5000, 2)).toEqual(['ledger']);
    expect(seen(9000, 0)).toEqual([]);
  });

  it('finds more left than it can ever hold', () => {
    expect(ledger(BUCKET).look(2000, 0, { remaining: 10 })).toEqual([]);
    expect(ledger(BUCKET).look(2000, 0, { remaining: 11 })).toEqual(['ledger']);
  });

  it('finds what comes back to a bucket that has become full meanwhile', () => {
    const history = ledger(BUCKET);
    history.spend(2000, 3, 3);
    history.spend(20_000, 4, 4);
    expect(history.look(20_100, 4)).toEqual([]);
    expect(history.look(20_100, 1)).toEqual(['ledger']);
  });

  it('lets a cancelled reservation come back once', () => {
    const cancelled = (units: number, times: number) => {
      const history = ledger(BUCKET);
      const held = [2000, 2010].map((atMs) =>
        history.decided('reserve', atMs, { cost: 6, id: 'x' }, used(6, { cost: 6 })),
      );
      history.corrected('cancel', 3000, held[0] as number);
      history.spend(62_900, 5, 5);
      if (times > 1) history.corrected('cancel', 63_100, held[1] as number);
      return history.look(63_500, units);
    };
    expect(cancelled(5, 1)).toEqual([]);
    expect(cancelled(5, 2)).toEqual([]);
    expect(cancelled(0, 1)).toEqual(['ledger']);
    expect(cancelled(0, 2)).toEqual(['ledger']);
  });

  it('lets units come back that somebody may still give back', () => {
    const history = ledger(BUCKET);
    const held = history.decided('reserve', 2000, { cost: 6 }, used(6, { cost: 6 }));
    history.begin('cancel', 3000, {}, held);
    expect(history.look(3001, 0)).toEqual([]);
  });

  it('says nothing of a bucket that was lost, of one that was charged beyond its capacity, and of a reset one', () => {
    const spent = (): Ledger => {
      const history = ledger(BUCKET);
      history.spend(2000, 6, 6);
      return history;
    };
    const lost = spent().fault({ atMs: 2100, fault: 'flush', server: 0 }) as Ledger;
    expect(lost.look(2500, 0)).toEqual([]);
    const reset = spent();
    reset.done('reset', 2100);
    expect(reset.look(2500, 0)).toEqual([]);
    const charged = spent();
    charged.decided('charge', 2100, { cost: 30 }, used(10));
    expect(charged.look(2500, 9)).toEqual([]);
    const atOwnCost = new Ledger(setupOf([limitOf(BUCKET, { cost: 30 })]));
    atOwnCost.decided('charge', 2100, { cost: 0 }, used(10, { cost: 30 }));
    expect(atOwnCost.broken).toEqual([]);
  });

  it('takes what a process of a leased store says for old, and not what the shared store says', () => {
    const store = {
      kind: 'leased',
      of: { kind: 'redis', server: 0, timeoutMs: 50, instances: 2 },
      leaseMs: 1000,
    } as const;
    const spent = (): Ledger => {
      const history = ledger(BUCKET, { store });
      history.spend(2000, 6, 6);
      return history;
    };
    const other = spent();
    other.decided('consume', 2100, { process: 1 }, used(1));
    expect(other.broken).toEqual([]);
    expect(spent().look(2100, 6)).toEqual([]);
    expect(spent().look(2100, 1)).toEqual(['ledger']);
  });
});

describe('all-or-nothing', () => {
  const refusedThenSeen = (units: number): readonly string[] => {
    const history = new History(setupOf(TWO));
    const refusing = [verdictOf({ allowed: false, used: 0, remaining: 10, cost: 2, retryAfterMs: 50 })];
    const passing = verdictOf({ name: 'b', used: 0, remaining: 10, cost: 2 });
    history.fault({ atMs: 10, fault: 'forget-scripts', server: 0 });
    history.decided('charge', 2000, { cost: 10 }, decisionOf([]));
    const refused = { ...refusing[0], used: 10, remaining: 0 } as VerdictSeen;
    history.decided(
      'consume',
      3000,
      { cost: 2 },
      refusalOf(refused, { verdicts: [refused, { ...passing, used: 10, remaining: 0 }] }),
    );
    const look = decisionOf([
      verdictOf({ used: 10, remaining: 0 }),
      verdictOf({ name: 'b', used: units, remaining: Math.max(0, 10 - units) }),
    ]);
    history.decided('peek', 4000, {}, look);
    return history.broken;
  };

  it('finds units that a refused request spent on another limit', () => {
    expect(refusedThenSeen(10)).toEqual([]);
    expect(refusedThenSeen(12)).toEqual(['all-or-nothing']);
    expect(refusedThenSeen(13)).toEqual(['ledger']);
  });
});

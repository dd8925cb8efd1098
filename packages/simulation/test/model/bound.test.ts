import { describe, expect, it } from '@jest/globals';
import type { FaultStep, LimitNumbers } from '../../src/tape/tape.js';
import { decisionOf, History, limitOf, REDIS, setupOf, verdictOf } from './history.js';

const SLIDING: LimitNumbers = { algorithm: 'sliding-window', limit: 2, windowMs: 1000 };
const FIXED: LimitNumbers = { algorithm: 'fixed-window', limit: 2, windowMs: 1000 };
const BUCKET: LimitNumbers = { algorithm: 'token-bucket', capacity: 2, refillRate: 1 };
const LEAKY: LimitNumbers = { algorithm: 'leaky-bucket', capacity: 10, leakRate: 10 };

/** Admits one unit at each of these times. */
function admittedAt(history: History, times: readonly number[]): History {
  for (const atMs of times) history.admitted('consume', atMs);
  return history;
}

describe('bound', () => {
  it.each<[what: string, limit: LimitNumbers, times: readonly number[]]>([
    ['a sliding window', SLIDING, [2000, 2100, 2997]],
    ['a log', { ...SLIDING, algorithm: 'sliding-window-log' }, [2000, 2100, 2997]],
    ['a counter', { ...SLIDING, algorithm: 'sliding-window-counter' }, [2000, 2001, 2002, 2003, 2997]],
    ['a fixed window', FIXED, [2000, 2001, 2002, 2003, 2997]],
    ['a fixed window, over two windows', FIXED, [2000, 2001, 2500, 2501, 3400, 3401, 3990]],
    ['a bucket', BUCKET, [2000, 2001, 2002]],
    ['a bucket that refills', BUCKET, [2000, 2001, 3000, 3001]],
    ['a bucket that never refills', { ...BUCKET, refillRate: 0, keepForMs: 60_000 }, [2000, 20_000, 40_000]],
  ])('finds an admission too many of %s', (_what, limit, times) => {
    const history = admittedAt(new History(setupOf([limitOf(limit)])), times.slice(0, -1));
    expect(history.broken).toEqual([]);
    expect(admittedAt(history, times.slice(-1)).broken).toEqual(['bound']);
  });

  it.each<[what: string, limit: LimitNumbers, times: readonly number[]]>([
    ['as soon as a sliding window has passed', SLIDING, [2000, 2100, 2998]],
    ['on both sides of the end of a fixed window', FIXED, [2000, 2001, 2002, 2003, 3001]],
    ['what a bucket refills', BUCKET, [2000, 2001, 3001, 4001]],
    ['after a bucket was forgotten', { ...BUCKET, refillRate: 0, keepForMs: 1000 }, [2000, 2001, 3001, 3002]],
  ])('admits %s', (_what, limit, times) => {
    expect(admittedAt(new History(setupOf([limitOf(limit)])), times).broken).toEqual([]);
  });

  it('counts an admission only if all of its time lies in the window', () => {
    const history = new History(setupOf([limitOf(SLIDING)]));
    const slow = history.begin('consume', 1900);
    history.end(slow, 1940, {
      decision: { allowed: true, source: 'store', retryAfterMs: 0, delayMs: 0, verdicts: [] },
    });
    expect(admittedAt(history, [2000, 2910]).broken).toEqual([]);
    expect(admittedAt(history, [2911]).broken).toEqual(['bound']);
  });

  it('knows that a call repeats another one whose slot nobody may have freed, because its server refused writes', () => {
    const slots = limitOf({ algorithm: 'concurrency', limit: 9, leaseMs: 60_000 }, { name: 'slots' });
    const repeated = (isFull: boolean): readonly string[] => {
      const history = new History(setupOf([slots, limitOf({ ...SLIDING, limit: 1 })]));
      const first = history.admitted('reserve', 5000, { id: 'x' });
      if (isFull) history.fault({ atMs: 5009, fault: 'fill', server: 0, forMs: 5, policy: 'noeviction' });
      history.corrected('settle', 5010, first);
      history.admitted('reserve', 5020, { id: 'x' });
      return history.broken;
    };
    expect(repeated(true)).toEqual([]);
    expect(repeated(false)).toEqual(['bound']);
  });

  it('counts departures of a leaky bucket', () => {
    const history = new History(setupOf([limitOf(LEAKY)]));
    for (const delayMs of [0, 100, 200]) history.admitted('consume', 2000, {}, { delayMs });
    expect(history.broken).toEqual([]);
    history.admitted('consume', 2000, {}, { delayMs: 200 });
    expect(history.broken).toEqual(['bound']);
  });

  it('counts departures of a leaky bucket by its own delays, and not by those of other limits', () => {
    const history = new History(setupOf([limitOf(LEAKY)]));
    for (const delayMs of [0, 100, 200]) {
      history.decided('consume', 2000, {}, decisionOf([verdictOf({ delayMs })], { delayMs: 5000 }));
    }
    expect(history.broken).toEqual([]);
  });

  it('lets the clock of a server go ahead while requests wait for their departures', () => {
    const leaky = limitOf({ algorithm: 'leaky-bucket', capacity: 7, leakRate: 0.005 });
    const departures = (driftPpm: number): readonly string[] => {
      const history = new History(
        setupOf([leaky], { servers: [{ kind: 'redis', clockAheadMs: 0, driftPpm }], lastsMs: 1_000_000 }),
      );
      history.admitted('consume', 0, {}, { delayMs: 1_200_000 });
      history.admitted('consume', 1_000_000, {}, { delayMs: 399_991 });
      return history.broken;
    };
    expect(departures(10)).toEqual([]);
    expect(departures(0)).toEqual(['bound']);
  });

  it('lets a repeated reservation end when any call says that may have been the first one', () => {
    const admittedAgain = (firstAnswerMs: number): readonly string[] => {
      const history = new History(setupOf([limitOf(SLIDING)]));
      const first = history.begin('reserve', 2000, { cost: 2, id: 'x' });
      if (firstAnswerMs < 2010) history.end(first, firstAnswerMs, { decision: decisionOf([]) });
      const said = { cost: 2, id: 'x', process: 1, expiresMs: 1, onExpiry: 'giveBack' };
      history.decided('reserve', 2010, said, decisionOf([]));
      if (firstAnswerMs > 2010) history.end(first, firstAnswerMs, { decision: decisionOf([]) });
      history.admitted('consume', 2020);
      return history.broken;
    };
    expect(admittedAgain(2015)).toEqual([]);
    expect(admittedAgain(2005)).toEqual(['bound']);
  });

  it('leaves out what was given back, from the moment at which that begins', () => {
    const history = new History(setupOf([limitOf(SLIDING)]));
    const held = history.admitted('reserve', 2000, { cost: 2 });
    history.begin('settle', 2100, { actual: 1 }, held);
    history.admitted('consume', 2101);
    expect(history.broken).toEqual([]);
    history.admitted('consume', 2102);
    expect(history.broken).toEqual(['bound']);
  });

  it('leaves out of a window of a bucket what came back within it, and not what came back before', () => {
    const history = new History(setupOf([limitOf({ ...BUCKET, capacity: 20 })]));
    const held = history.admitted('reserve', 5000, { cost: 20 });
    history.corrected('cancel', 5010, held);
    // The cancel may have come late in the first window, so 20 units of it are unknown.
    history.admitted('consume', 5011, { cost: 20 });
    expect(history.broken).toEqual([]);
    const later = new History(setupOf([limitOf({ ...BUCKET, capacity: 20 })]));
    later.corrected('cancel', 5010, later.admitted('reserve', 5000, { cost: 20 }));
    later.admitted('consume', 9000, { cost: 20 });
    expect(later.broken).toEqual([]);
    later.admitted('consume', 9001, { cost: 1 });
    expect(later.broken).toEqual(['bound']);
  });

  it('adds what came back in a lease before the window, over a leased store: it filled what slices had left', () => {
    const store = { kind: 'leased', of: REDIS, leaseMs: 500 } as const;
    const takenAt = (atMs: number): readonly string[] => {
      const history = new History(setupOf([limitOf({ ...BUCKET, capacity: 20, refillRate: 50 })], { store }));
      history.corrected('cancel', 9000, history.admitted('reserve', 8700, { cost: 5 }));
      history.admitted('consume', atMs, { cost: 25 });
      return history.broken;
    };
    expect(takenAt(9490)).toEqual([]);
    expect(takenAt(9510)).toEqual(['bound']);
  });

  it('lets a charge give back once, however often it is corrected', () => {
    const bucket = limitOf({ ...BUCKET, capacity: 20 });
    const repeated = (fault?: FaultStep): readonly string[] => {
      const history = new History(setupOf([bucket]));
      const [one, other] = [5000, 5010].map((atMs) => history.admitted('reserve', atMs, { cost: 10, id: 'x' }));
      history.corrected('cancel', 6000, one as number);
      if (fault) history.fault(fault);
      history.admitted('consume', 100_000, { cost: 20 });
      history.corrected('cancel', 100_010, other as number);
      history.admitted('consume', 100_020, { cost: 10 });
      return history.broken;
    };
    expect(repeated()).toEqual(['bound']);
    // Nobody knows whether the first one was made.
    expect(repeated({ atMs: 5900, fault: 'freeze', server: 0, forMs: 2000 })).toEqual([]);
    expect(repeated({ atMs: 50_000, fault: 'flush', server: 0 })).toEqual([]);
  });

  it('leaves out units that nobody checked, and those of a policy that admits while its store is gone', () => {
    const history = new History(setupOf([limitOf(SLIDING)]));
    history.admitted('charge', 2000, { cost: 20 });
    history.fault({ atMs: 2001, fault: 'freeze', server: 0, forMs: 100 });
    history.admitted('consume', 2002, { cost: 2 }, { source: 'allow' });
    expect(admittedAt(history, [2010, 2020]).broken).toEqual([]);
  });

  it('adds a bound for each time that the server lost its data within the window', () => {
    const history = new History(setupOf([limitOf(SLIDING)]));
    history.fault({ atMs: 2050, fault: 'flush', server: 0 });
    expect(admittedAt(history, [2000, 2001, 2100, 2101]).broken).toEqual([]);
    expect(admittedAt(history, [2102]).broken).toEqual(['bound']);
  });

  it('lets each process admit its share by itself while the store is gone', () => {
    const history = new History(setupOf([limitOf(SLIDING)]));
    history.fault({ atMs: 1999, fault: 'freeze', server: 0, forMs: 1000 });
    admittedAt(history, [2000, 2001]);
    for (const process of [0, 1]) history.admitted('consume', 2100, { process }, { source: 'local' });
    expect(history.broken).toEqual([]);
    history.admitted('consume', 2101, {}, { source: 'local' });
    expect(history.broken).toEqual(['bound']);
  });

  it('says nothing about windows in which a clock was set', () => {
    const history = new History(setupOf([limitOf(SLIDING)]));
    history.fault({ atMs: 2050, fault: 'set-clock', server: 0, byMs: 700 });
    expect(admittedAt(history, [2000, 2001, 2500]).broken).toEqual([]);
    expect(admittedAt(history, [2501, 2502]).broken).toEqual(['bound']);
  });

  it('takes the largest of the limits that are in force in different processes', () => {
    const variants = [[limitOf(SLIDING)], [limitOf({ ...SLIDING, limit: 3 })]];
    const history = new History(setupOf(variants));
    admittedAt(history, [2000, 2001]);
    history.admitted('consume', 2100, { process: 1, variant: 1 });
    expect(history.broken).toEqual([]);
    expect(admittedAt(history, [2101]).broken).toEqual(['bound']);
  });

  it('knows that all of a bucket comes back when it is forgotten by the numbers of one that never refills', () => {
    const bucket = { ...BUCKET, capacity: 1 } as const;
    const variants = [[limitOf({ ...bucket, refillRate: 1 })], [limitOf({ ...bucket, refillRate: 0, keepForMs: 200 })]];
    const history = new History(setupOf(variants));
    history.admitted('consume', 2000, { process: 0, variant: 0 });
    history.admitted('consume', 2210, { process: 1, variant: 1 });
    expect(history.broken).toEqual([]);
    history.admitted('consume', 2215, { process: 1, variant: 1 });
    expect(history.broken).toEqual(['bound']);
  });

  it('counts each process by itself, and a process that begins anew as another one, over memory', () => {
    const history = new History(setupOf([limitOf(SLIDING)], { store: { kind: 'memory' } }));
    admittedAt(history, [2000, 2001]);
    history.admitted('consume', 2002, { process: 1, cost: 2 });
    history.fault({ atMs: 2010, fault: 'crash', process: 0 });
    history.fault({ atMs: 2020, fault: 'start', process: 0 });
    expect(admittedAt(history, [2030, 2031]).broken).toEqual([]);
    expect(admittedAt(history, [2032]).broken).toEqual(['bound']);
  });

  it('lets each process of a synced store admit a slice more', () => {
    const store = {
      kind: 'synced',
      of: { kind: 'redis', server: 0, timeoutMs: 50, instances: 2 },
      syncMs: 100,
      slice: 3,
    } as const;
    const history = new History(setupOf([limitOf({ ...SLIDING, limit: 20 })], { store }));
    // Two windows touch the time in which units are synchronized: 40, and 2 slices.
    history.admitted('consume', 2000, { cost: 46 });
    expect(history.broken).toEqual([]);
    expect(admittedAt(history, [2001]).broken).toEqual(['bound']);
  });

  it('adds a tolerance, and what is lent', () => {
    const soft = new History(setupOf([limitOf(SLIDING, { tolerance: 0.5 })]));
    expect(admittedAt(soft, [2000, 2001, 2002]).broken).toEqual([]);
    expect(admittedAt(soft, [2003]).broken).toEqual(['bound']);
    const parts = limitOf({ ...SLIDING, limit: 4 }, { by: 'everyone', guarantee: { part: 1, total: 2, lend: 1 } });
    const lent = new History(setupOf([parts]));
    lent.admitted('consume', 2000, { cost: 4 });
    lent.admitted('consume', 2001, { cost: 2, subject: 1 });
    expect(lent.broken).toEqual([]);
    lent.admitted('consume', 2002, { subject: 1 });
    expect(lent.broken).toEqual(['bound']);
  });

  it('leaves out a limit that is not enforced', () => {
    expect(admittedAt(new History(setupOf([limitOf(SLIDING, { enforce: 0 })])), [2000, 2001, 2002]).broken).toEqual([]);
  });
});

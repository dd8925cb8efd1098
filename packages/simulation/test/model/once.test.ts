import { describe, expect, it } from '@jest/globals';
import type { FaultStep, LimitNumbers, LimitSetup, Setup } from '../../src/tape/tape.js';
import { decisionOf, History, limitOf, refusalOf, setupOf, verdictOf } from './history.js';

const newHistory = () =>
  new History(setupOf([limitOf({ algorithm: 'sliding-window', limit: 100, windowMs: 600_000 })]));

describe('once', () => {
  it('finds a charge that was corrected twice', () => {
    const history = newHistory();
    const held = history.admitted('reserve', 2000, { cost: 3 });
    history.corrected('share', 2010, held, { expiresMs: 60_000 });
    history.corrected('correct', 2020, held, { actual: 1 }, { result: 'applied' });
    history.corrected('correct', 2030, held, { actual: 1, process: 1 }, { result: 'repeated' });
    expect(history.broken).toEqual([]);
    history.corrected('correct', 2040, held, { actual: 1 }, { result: 'applied' });
    expect(history.broken).toEqual(['once']);
  });

  it('finds a charge that is corrected although a reservation of its operation had been settled', () => {
    const history = newHistory();
    const [one, other] = [5000, 5010].map((atMs) => history.admitted('reserve', atMs, { cost: 3, id: 'x' }));
    history.corrected('share', 5020, one as number, { expiresMs: 3_600_000 });
    history.corrected('settle', 6000, other as number, { actual: 1 });
    history.corrected('correct', 80_000, one as number, { actual: 1 }, { result: 'repeated' });
    expect(history.broken).toEqual([]);
    history.corrected('correct', 90_000, one as number, { actual: 1 }, { result: 'applied' });
    expect(history.broken).toEqual(['once']);
  });

  it('knows that calls by another algorithm have a charge of their own', () => {
    const log = limitOf({ algorithm: 'sliding-window-log', limit: 9, windowMs: 60_000 });
    const bucket = limitOf({ algorithm: 'token-bucket', capacity: 9, refillRate: 1 });
    const corrected = (variants: (typeof log)[][], isSettled: boolean): readonly string[] => {
      const history = new History(setupOf(variants));
      const charges = [0, 1].map((variant) =>
        history.admitted('reserve', 5000, { id: 'x', variant, process: variant }),
      );
      const [one, other] = charges as [number, number];
      if (isSettled) history.corrected('settle', 6000, one, { actual: 0 });
      else history.corrected('correct', 6000, one, {}, { result: 'applied' });
      history.corrected('correct', 9000, other, {}, { result: 'applied' });
      return history.broken;
    };
    for (const isSettled of [false, true]) {
      expect(corrected([[log], [bucket]], isSettled)).toEqual([]);
      expect(corrected([[log], [log]], isSettled)).toEqual(['once']);
    }
  });

  it('knows that the store, and each process that decides while it fails, have a charge of their own', () => {
    const corrected = (...made: readonly (readonly ['local' | 'store', process: number])[]): readonly string[] => {
      const history = newHistory();
      for (const [i, [source, process]] of made.entries()) {
        const held = history.admitted('reserve', 500 + 20 * i, { id: 'x', process }, { source });
        history.corrected('correct', 510 + 20 * i, held, { process }, { result: 'applied' });
      }
      return history.broken;
    };
    expect(corrected(['local', 0], ['store', 0])).toEqual([]);
    expect(corrected(['local', 0], ['local', 1])).toEqual([]);
    expect(corrected(['local', 0], ['local', 0])).toEqual(['once']);
    expect(corrected(['store', 0], ['store', 1])).toEqual(['once']);
  });

  it('says nothing if the settlement may not have been made', () => {
    const history = newHistory();
    const [one, other] = [5000, 5010].map((atMs) => history.admitted('reserve', atMs, { cost: 3, id: 'x' }));
    history.corrected('share', 5020, one as number, { expiresMs: 3_600_000 });
    history.fault({ atMs: 5990, fault: 'freeze', server: 0, forMs: 500 });
    history.corrected('settle', 6000, other as number, { actual: 1 });
    history.corrected('correct', 90_000, one as number, { actual: 1 }, { result: 'applied' });
    expect(history.broken).toEqual([]);
  });

  it('lets a call be decided anew if the call before it may have repeated one that was settled since', () => {
    const history = new History(setupOf([limitOf({ algorithm: 'concurrency', limit: 9, leaseMs: 60_000 })]));
    const first = history.admitted('reserve', 2000, { id: 'x', expiresMs: 5 });
    history.admitted('reserve', 2010, { id: 'x' });
    history.corrected('settle', 2020, first);
    history.decided('reserve', 2030, { id: 'x' }, refusalOf());
    expect(history.broken).toEqual([]);
  });

  it('lets a call be decided anew whose slot may have ended before the first call heard its answer', () => {
    const slots = limitOf({ algorithm: 'concurrency', limit: 1, leaseMs: 1000 });
    const history = new History(setupOf([slots]));
    const first = history.begin('reserve', 2000, { id: 'x', expiresMs: 1 });
    const again = history.begin('reserve', 2003, { id: 'x', process: 1 });
    history.end(first, 2004, { decision: decisionOf([]) });
    history.end(again, 2005, { decision: refusalOf() });
    expect(history.broken).toEqual([]);
  });

  it('lets a call be decided anew whose slot may have ended with another call at the same time', () => {
    const repeated = (expiresMs: number): readonly string[] => {
      const history = new History(setupOf([limitOf({ algorithm: 'concurrency', limit: 9, leaseMs: 60_000 })]));
      const one = history.begin('reserve', 2000, { id: 'x' });
      const other = history.begin('reserve', 2000, { id: 'x', expiresMs, process: 1 });
      history.end(other, 2026, { decision: decisionOf([]) });
      history.end(one, 2050, { decision: refusalOf() });
      return history.broken;
    };
    expect(repeated(1)).toEqual([]);
    expect(repeated(100)).toEqual(['once']);
  });

  it('lets two corrections at the same time both be applied where several servers correct a part each', () => {
    const node = { kind: 'redis', timeoutMs: 50, instances: 1 } as const;
    const store = { kind: 'sharded', nodes: [0, 1].map((server) => ({ ...node, server })) } as const;
    const window = { algorithm: 'sliding-window', limit: 9, windowMs: 60_000 } as const;
    const mixed = [limitOf(window), { ...limitOf(window), name: 'b', by: 'everyone' as const }];
    const corrected = (limits: readonly LimitSetup[], laterMs: number): readonly string[] => {
      const servers = [0, 1].map(() => ({ kind: 'redis', clockAheadMs: 0 }) as const);
      const history = new History(setupOf(limits, { store, servers }));
      const held = history.admitted('reserve', 5000);
      history.corrected('share', 5010, held, { expiresMs: 60_000 });
      const first = history.begin('correct', 5020, { actual: 0 }, held);
      const second = history.begin('correct', 5020 + laterMs, { actual: 0, process: 1 }, held);
      history.end(first, 5022, { result: 'applied' });
      history.end(second, 5024 + laterMs, { result: 'applied' });
      return history.broken;
    };
    expect(corrected(mixed, 0)).toEqual([]);
    expect(corrected(mixed, 100)).toEqual(['once']);
    expect(corrected([limitOf(window)], 0)).toEqual(['once']);
  });

  it('lets a call be decided anew after somebody has forgotten all about its subject, if it had a slot', () => {
    const repeated = (limit: LimitNumbers): readonly string[] => {
      const history = new History(setupOf([limitOf(limit)]));
      history.admitted('reserve', 2000, { id: 'x' });
      history.done('reset', 2010, {});
      history.decided('reserve', 2020, { id: 'x' }, refusalOf());
      return history.broken;
    };
    expect(repeated({ algorithm: 'concurrency', limit: 9, leaseMs: 60_000 })).toEqual([]);
    expect(repeated({ algorithm: 'sliding-window', limit: 9, windowMs: 60_000 })).toEqual(['once']);
  });

  it('lets a call be decided anew whose slot nobody may have renewed in time', () => {
    const repeated = (atMs: number, store: Partial<Setup>, fault?: FaultStep): readonly string[] => {
      const history = new History(setupOf([limitOf({ algorithm: 'concurrency', limit: 2, leaseMs: 3000 })], store));
      history.admitted('reserve', 5000, { id: 'x' });
      if (fault) history.fault(fault);
      history.decided('reserve', atMs, { id: 'x' }, refusalOf());
      return history.broken;
    };
    const memory = { store: { kind: 'memory' }, servers: [] } as const;
    const stall = { atMs: 5010, fault: 'stall', process: 0, forMs: 3000 } as const;
    expect(repeated(8010, memory, stall)).toEqual([]);
    expect(repeated(8010, memory)).toEqual(['once']);
    expect(repeated(7000, memory, { ...stall, forMs: 1990 })).toEqual(['once']);
    const cut = { atMs: 5010, fault: 'cut', process: 0, server: 0, forMs: 3000, how: 'broken' } as const;
    expect(repeated(8010, {}, cut)).toEqual([]);
    expect(repeated(8010, {})).toEqual(['once']);
  });

  it('lets a call be decided anew whose slot was freed, or whose limit has got another cost', () => {
    const repeated = (limits: Parameters<typeof setupOf>[0], variant: number, isEnded: boolean): readonly string[] => {
      const history = new History(setupOf(limits));
      const first = history.admitted('reserve', 2000, { id: 'x' });
      if (isEnded) history.begin('cancel', 2010, {}, first);
      history.decided('reserve', 2020, { id: 'x', variant, process: 1 }, refusalOf());
      return history.broken;
    };
    const window = limitOf({ algorithm: 'sliding-window', limit: 9, windowMs: 60_000 });
    const slots = limitOf({ algorithm: 'concurrency', limit: 9, leaseMs: 60_000 });
    expect(repeated([slots], 0, true)).toEqual([]);
    expect(repeated([window], 0, true)).toContain('once');
    expect(repeated([[window], [{ ...window, cost: 2 }]], 1, false)).toEqual([]);
    expect(repeated([[window], [window]], 1, false)).toContain('once');
  });

  it('knows that an answer to a call of an operation that has ended is no answer of the next one', () => {
    const history = new History(setupOf([limitOf({ algorithm: 'concurrency', limit: 9, leaseMs: 60_000 })]));
    const first = history.admitted('reserve', 2000, { id: 'x' });
    const second = history.begin('reserve', 2001, { id: 'x' });
    history.corrected('settle', 2010, first);
    const third = history.begin('reserve', 2013, { id: 'x' });
    history.end(second, 2014, { decision: decisionOf([]) });
    history.end(third, 2015, { decision: refusalOf() });
    expect(history.broken).not.toContain('once');
  });

  it('knows that nothing is corrected after the end of a charge that was handed over', () => {
    const corrected = (expiresMs: number): readonly string[] => {
      const history = newHistory();
      const held = history.admitted('reserve', 2000, { cost: 3 });
      history.corrected('share', 2010, held, { expiresMs });
      history.corrected('cancel', 2020, held);
      history.corrected('correct', 2030, held, {}, { result: 'applied' });
      return history.broken;
    };
    expect(corrected(15)).toEqual([]);
    expect(corrected(1000)).toEqual(['once']);
  });

  it('lets a server that lost its data correct it again', () => {
    const history = newHistory();
    const held = history.admitted('reserve', 2000, { cost: 3 });
    history.corrected('correct', 2020, held, { actual: 1 }, { result: 'applied' });
    history.fault({ atMs: 2030, fault: 'flush', server: 0 });
    history.corrected('correct', 2040, held, { actual: 1 }, { result: 'applied' });
    expect(history.broken).toEqual([]);
  });

  it('finds a correction that was made after the charge had expired', () => {
    const corrected = (atMs: number): readonly string[] => {
      const history = newHistory();
      const held = history.admitted('reserve', 2000, { cost: 3 });
      history.corrected('share', 2010, held, { expiresMs: 1000 });
      history.corrected('correct', atMs, held, { actual: 1 }, { result: 'applied' });
      return history.broken;
    };
    expect(corrected(3500)).toEqual([]);
    expect(corrected(4100)).toEqual(['once']);
  });

  it('finds a repeated call that gets another reply', () => {
    const history = newHistory();
    history.decided('consume', 2000, { id: 'x' }, decisionOf([verdictOf({ used: 1, remaining: 99 })]));
    history.decided('consume', 2500, { id: 'x', process: 1 }, decisionOf([verdictOf({ used: 1, remaining: 99 })]));
    expect(history.broken).toEqual([]);
    history.decided('consume', 2600, { id: 'x' }, decisionOf([verdictOf({ used: 2, remaining: 98 })]));
    history.decided('consume', 2700, { id: 'x' }, refusalOf());
    expect(history.broken).toEqual(['once', 'once']);
  });

  it('takes a call with another cost, and one after the time for which it is remembered, for another one', () => {
    const history = newHistory();
    history.decided('consume', 2000, { id: 'x', rememberMs: 1000 }, decisionOf([verdictOf({ used: 1 })]));
    history.decided('consume', 2100, { id: 'x', rememberMs: 1000, cost: 2 }, decisionOf([verdictOf({ used: 3 })]));
    history.decided('consume', 3000, { id: 'x', rememberMs: 1000 }, decisionOf([verdictOf({ used: 4 })]));
    expect(history.broken).toEqual([]);
  });
});

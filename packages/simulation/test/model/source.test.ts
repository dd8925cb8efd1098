import { describe, expect, it } from '@jest/globals';
import type { FaultStep, StoreSetup } from '../../src/tape/tape.js';
import { decisionOf, History, limitOf, REDIS, type Said, setupOf } from './history.js';

const LOCAL = decisionOf([], { source: 'local' });

const setup = (store: StoreSetup = REDIS) =>
  setupOf([limitOf({ algorithm: 'sliding-window', limit: 100, windowMs: 1000 })], { store });

function localAt(atMs: number, fault?: FaultStep, store?: StoreSetup): readonly string[] {
  const history = new History(setup(store));
  if (fault) history.fault(fault);
  history.admitted('consume', atMs, {}, { source: 'local' });
  return history.broken;
}

describe('source', () => {
  it('finds a decision by the process while nothing fails', () => {
    expect(localAt(5000)).toEqual(['source']);
  });

  it('gives a process a second to connect', () => {
    expect(localAt(900)).toEqual([]);
  });

  it('finds a decision by the process later than a second after a fault', () => {
    const fault: FaultStep = { atMs: 5000, fault: 'freeze', server: 0, forMs: 1000 };
    expect(localAt(5500, fault)).toEqual([]);
    expect(localAt(6900, fault)).toEqual([]);
    expect(localAt(7100, fault)).toEqual(['recovery']);
    expect(localAt(20_000, fault)).toEqual(['source']);
  });

  it('lets a process alone that is cut off, and no other one', () => {
    const cut = (process: number): FaultStep => ({
      atMs: 5000,
      fault: 'cut',
      process,
      server: 0,
      forMs: 1000,
      how: 'silent',
    });
    expect(localAt(5500, cut(0))).toEqual([]);
    expect(localAt(5500, cut(1))).toEqual(['source']);
  });

  it('says nothing where messages are too slow for a decision in time', () => {
    const slow = setup();
    const history = new History({ ...slow, network: { ...slow.network, delayMs: [5, 20] } });
    history.admitted('consume', 5000, {}, { source: 'deny' });
    expect(history.broken).toEqual([]);
  });

  it('lets a process go on that opened its breaker when nobody could answer in time, and for a second only', () => {
    const table: StoreSetup = { kind: 'table', server: 0, timeoutMs: 50, instances: 2 };
    const history = new History(setup(table));
    const crowd = Array.from({ length: 30 }, () => history.begin('consume', 5000));
    for (const call of crowd.slice(0, 10)) history.end(call, 5049, { decision: decisionOf([]) });
    for (const call of crowd.slice(10)) history.end(call, 5050, { decision: LOCAL });
    history.admitted('consume', 5100, {}, { source: 'local' });
    history.admitted('consume', 5900, { process: 1 }, { source: 'store' });
    expect(history.broken).toEqual([]);
    history.admitted('consume', 6900, {}, { source: 'local' });
    expect(history.broken).toEqual(['source']);
  });

  it('knows that over a table, what was read may end before it is written, and that no state is read of a fresh key', () => {
    const table: StoreSetup = { kind: 'table', server: 0, timeoutMs: 45, instances: 2 };
    const localAfter = (first: readonly number[], said: Said = {}, timeoutMs = 45): readonly string[] => {
      const history = new History(setup({ ...table, timeoutMs }));
      for (const atMs of first) history.admitted('consume', atMs, {}, { source: 'store' });
      history.admitted('consume', 9000, said, { source: 'local' });
      return history.broken;
    };
    expect(localAfter([])).toEqual(['source']);
    expect(localAfter([8500])).toEqual([]);
    expect(localAfter([], { id: 'x' })).toEqual([]);
    for (const said of [{}, { id: 'x' }]) expect(localAfter([8500], said, 50)).toEqual(['source']);
  });

  it('knows that a gateway waits for a budget no longer than half a second', () => {
    const lookedAt = (mostMs: number): readonly string[] => {
      const plan = { name: 'llm', onStoreError: 'deny', hold: 'ceiling', maxHoldMs: 900_000 } as const;
      const slow = setup({ kind: 'redis', server: 0, timeoutMs: 4000, instances: 2 });
      const network = { ...slow.network, delayMs: [1, mostMs] } as const;
      const history = new History({ ...slow, network, plans: [{ ...plan, limits: { perDay: 9 } }] });
      const step = { call: 'model-look', atMs: 5000, process: 0, plan: 0, subject: 0 } as const;
      history.see({ kind: 'call', call: 1, atMs: 5000, process: 0, step, policy: 'llm', subject: 's0', variant: 0 });
      return history.end(1, 5500, { decision: decisionOf([], { source: 'deny' }) }).broken;
    };
    expect(lookedAt(60)).toEqual(['source']);
    expect(lookedAt(65)).toEqual([]);
  });

  it('says nothing of slices whose leases are over when they come', () => {
    const leased = (leaseMs: number): StoreSetup => ({ kind: 'leased', leaseMs, of: REDIS });
    expect(localAt(5000, undefined, leased(6))).toEqual([]);
    expect(localAt(5000, undefined, leased(100))).toEqual(['source']);
  });

  it('knows that memory never fails', () => {
    expect(localAt(5000, { atMs: 4000, fault: 'stall', process: 0, forMs: 900 }, { kind: 'memory' })).toEqual([
      'source',
    ]);
  });
});

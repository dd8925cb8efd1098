import { describe, expect, it } from '@jest/globals';
import { decisionOf, History, limitOf, REDIS, refusalOf, type Said, setupOf } from './history.js';

const slots = (limit: number) => setupOf([limitOf({ algorithm: 'concurrency', limit, leaseMs: 3000 })]);
const refused = { decision: refusalOf({ used: 1 }) };

describe('slots', () => {
  it('finds a slot too many', () => {
    const history = new History(slots(2));
    for (const atMs of [2000, 2010]) history.admitted('reserve', atMs);
    expect(history.broken).toEqual([]);
    history.admitted('reserve', 12_000);
    expect(history.broken).toEqual(['slots']);
  });

  it('knows that a lease ends before a renewal that takes most of it', () => {
    const heldAt = (farMs: number): readonly string[] => {
      const far = {
        servers: [{ kind: 'redis', clockAheadMs: 0, farMs }],
        store: { ...REDIS, timeoutMs: 3000 },
      } as const;
      const history = new History(setupOf([limitOf({ algorithm: 'concurrency', limit: 1, leaseMs: 1000 })], far));
      for (const atMs of [2000, 3500]) history.admitted('reserve', atMs);
      return history.broken;
    };
    expect(heldAt(20)).toEqual(['slots']);
    expect(heldAt(200)).toEqual([]);
  });

  it.each(['settle', 'cancel', 'release', 'share'] as const)('frees a slot as soon as %s begins', (kind) => {
    const history = new History(slots(1));
    const held = history.admitted('reserve', 2000);
    history.begin(kind, 2100, {}, held);
    history.admitted('reserve', 2101);
    expect(history.broken).toEqual([]);
  });

  it('frees a slot when its work ends', () => {
    const history = new History(slots(1));
    const runs = [2000, 2001].map((atMs) => history.begin('run', atMs, { worksForMs: 100, maxWaitMs: 1000 }));
    history.see({ kind: 'work', call: runs[0] as number, atMs: 2002, decision: decisionOf([]) });
    history.see({ kind: 'work-over', call: runs[0] as number, atMs: 2102 });
    history.see({ kind: 'work', call: runs[1] as number, atMs: 2104, decision: decisionOf([]) });
    expect(history.broken).toEqual([]);
    const third = history.begin('run', 2104, { worksForMs: 100, maxWaitMs: 1000 });
    history.see({ kind: 'work', call: third, atMs: 2150, decision: decisionOf([]) });
    expect(history.broken).toEqual(['slots']);
  });

  it('knows that a process which repeated the call renews a slot whose charge another one has handed over', () => {
    const refusedAt = (processes: readonly number[], apartMs = 1): readonly string[] => {
      const history = new History(slots(1));
      const held = processes.map((process, i) => history.admitted('reserve', 5000 + i * apartMs, { id: 'x', process }));
      history.corrected('share', 5010, held[0] as number, { expiresMs: 3_600_000, process: processes[0] as number });
      history.end(history.begin('reserve', 20_000), 20_002, refused);
      return history.broken;
    };
    expect(refusedAt([0])).toEqual(['slots-freed']);
    expect(refusedAt([0, 0])).toEqual(['slots-freed']);
    expect(refusedAt([0, 1])).toEqual([]);
    expect(refusedAt([0, 0], 20)).toEqual([]);
  });

  it('knows that a call which may repeat another one has no end of its own', () => {
    const refusedAfter = (first: Said): readonly string[] => {
      const history = new History(slots(1));
      const held = history.admitted('reserve', 5000, { id: 'x', ...first });
      history.corrected('share', 5010, held, { expiresMs: 3_600_000 });
      history.admitted('reserve', 5020, { id: 'x', expiresMs: 500 });
      history.end(history.begin('reserve', 20_000), 20_002, refused);
      return history.broken;
    };
    expect(refusedAfter({})).toEqual([]);
    expect(refusedAfter({ expiresMs: 60_000 })).toEqual([]);
    expect(refusedAfter({ expiresMs: 400 })).toEqual(['slots-freed']);
  });

  it('knows that the store may admit a call whose first try a process has refused by itself', () => {
    const limit = limitOf({ algorithm: 'concurrency', limit: 1, leaseMs: 3000 });
    const far = { servers: [{ kind: 'redis', clockAheadMs: 0, farMs: 6 }] } as const;
    const history = new History(setupOf([limit], far, { onStoreError: 'deny' }));
    const calls = [5000, 5030].map((atMs) => history.begin('reserve', atMs, { id: 'x' }));
    const third = history.begin('reserve', 5035);
    history.end(calls[0] as number, 5050, { decision: { ...refusalOf({ used: 1 }), source: 'deny' } });
    history.end(calls[1] as number, 5056, { decision: decisionOf([]) });
    history.end(third, 5070, refused);
    expect(history.broken).toEqual([]);
  });

  it('knows that a call under way may come after the end of an earlier one, and take a slot of its own', () => {
    const refusedAfter = (answeredMs: number, endedMs?: number): readonly string[] => {
      const history = new History(slots(1));
      const first = history.admitted('reserve', 20_000, { id: 'x' });
      const second = history.begin('reserve', 20_005, { id: 'x' });
      const answer = () => history.end(second, answeredMs, { decision: decisionOf([]) });
      if (answeredMs < 20_010) answer();
      history.corrected('release', 20_010, first);
      if (answeredMs > 20_010) answer();
      if (endedMs !== undefined) history.corrected('release', endedMs, second);
      history.end(history.begin('reserve', 20_030), 20_034, refused);
      return history.broken;
    };
    expect(refusedAfter(20_008)).toEqual(['slots-freed']);
    expect(refusedAfter(20_015)).toEqual([]);
    expect(refusedAfter(20_015, 20_020)).toEqual(['slots-freed']);
  });

  it('knows that the end of a third call does not free what a call under way has taken anew', () => {
    const refusedAfter = (endedMs?: number): readonly string[] => {
      const history = new History(slots(1));
      const [first, third] = [20_000, 20_001].map((atMs) => history.admitted('reserve', atMs, { id: 'x' }));
      const second = history.begin('reserve', 20_002, { id: 'x', process: 1 });
      history.corrected('cancel', 20_010, first as number);
      history.end(second, 20_015, { decision: decisionOf([]) });
      history.corrected('cancel', 20_020, third as number);
      if (endedMs !== undefined) history.corrected('cancel', endedMs, second);
      history.end(history.begin('reserve', 20_030), 20_034, refused);
      return history.broken;
    };
    expect(refusedAfter()).toEqual([]);
    expect(refusedAfter(20_025)).toEqual(['slots-freed']);
  });

  it('knows that a call may repeat what a call under way has taken anew, and loses the slot with that', () => {
    const heldBeside = (answeredMs: number): readonly string[] => {
      const history = new History(slots(1));
      const first = history.admitted('reserve', 20_000, { id: 'x' });
      const second = history.begin('reserve', 20_001, { id: 'x', process: 1 });
      const answer = () => history.end(second, answeredMs, { decision: decisionOf([]) });
      if (answeredMs < 20_005) answer();
      history.corrected('cancel', 20_005, first);
      const third = history.begin('reserve', 20_010, { id: 'x' });
      if (answeredMs > 20_005) answer();
      history.end(third, 20_012, { decision: decisionOf([]) });
      history.corrected('cancel', 20_013, second, { process: 1 });
      history.admitted('reserve', 20_016);
      return history.broken;
    };
    expect(heldBeside(20_011)).toEqual([]);
    expect(heldBeside(20_003)).toEqual(['slots']);
  });

  it('knows that a call which repeats what its process decided by itself may have a slot of the store', () => {
    const limit = limitOf({ algorithm: 'concurrency', limit: 1, leaseMs: 3000 });
    const far = { servers: [{ kind: 'redis', clockAheadMs: 0, farMs: 6 }] } as const;
    const refusedAfter = (repeats: boolean): readonly string[] => {
      const history = new History(setupOf([limit], far));
      const first = history.begin('reserve', 5000, { id: 'x' });
      history.end(first, 5050, { decision: { ...decisionOf([]), source: 'local' } });
      if (repeats) history.admitted('reserve', 5100, { id: 'x' });
      history.end(history.begin('reserve', 20_000), 20_002, refused);
      return history.broken;
    };
    expect(refusedAfter(true)).toEqual([]);
    expect(refusedAfter(false)).toEqual(['slots-freed']);
  });

  it('knows that a call may repeat one that may have begun the operation anew', () => {
    const refusedAgain = (id: string): readonly string[] => {
      const history = new History(slots(1));
      const held = history.admitted('reserve', 5000, { id: 'x', rememberMs: 60_000 });
      history.end(history.begin('reserve', 65_000, { id }), 65_002, refused);
      history.corrected('settle', 65_010, held, { actual: 0 });
      history.end(history.begin('reserve', 65_020, { id: 'x' }), 65_022, refused);
      return history.broken;
    };
    expect(refusedAgain('x')).toEqual([]);
    expect(refusedAgain('y')).toEqual(['slots-freed']);
  });

  it('knows that a refused operation may be decided anew after its server lost everything', () => {
    const refusedBeside = (isLost: boolean): readonly string[] => {
      const history = new History(slots(1));
      const first = history.admitted('reserve', 4990);
      history.end(history.begin('reserve', 5000, { id: 'x' }), 5002, refused);
      history.corrected('settle', 5010, first, { actual: 0 });
      if (isLost) history.fault({ atMs: 5500, fault: 'restart', server: 0, forMs: 1, keeps: 'nothing' });
      history.begin('reserve', 30_000, { id: 'x' });
      history.end(history.begin('reserve', 30_001), 30_004, refused);
      return history.broken;
    };
    expect(refusedBeside(true)).toEqual([]);
    expect(refusedBeside(false)).toEqual(['slots-freed']);
  });

  it('decides about a process that began anew by its first policy', () => {
    const window = limitOf({ algorithm: 'sliding-window', limit: 9, windowMs: 1000 });
    const slot = limitOf({ algorithm: 'concurrency', limit: 1, leaseMs: 3000 });
    const waited = (isAnew: boolean): readonly string[] => {
      const history = new History(setupOf([[window], [slot]]));
      history.done('replace', 2000, { variant: 1 });
      if (isAnew) history.fault({ atMs: 2100, fault: 'crash', process: 0 });
      if (isAnew) history.fault({ atMs: 2100, fault: 'start', process: 0 });
      const variant = isAnew ? 0 : 1;
      for (const atMs of [2200, 2210]) history.admitted('wait', atMs, { variant, maxWaitMs: 0 });
      return history.broken;
    };
    expect(waited(true)).toEqual([]);
    expect(waited(false)).toEqual(['slots']);
  });

  it('frees a slot when its reservation expires', () => {
    const history = new History(slots(1));
    history.admitted('reserve', 2000, { expiresMs: 500 });
    history.admitted('reserve', 2500);
    expect(history.broken).toEqual([]);
  });

  it('knows that the slot of a process that ended is held until its lease is over', () => {
    const held = (atMs: number): readonly string[] => {
      const history = new History(slots(1));
      history.admitted('reserve', 2000);
      history.fault({ atMs: 6000, fault: 'crash', process: 0 });
      history.admitted('reserve', atMs, { process: 1 });
      return history.broken;
    };
    expect(held(6900)).toEqual(['slots']);
    expect(held(7100)).toEqual([]);
  });

  it('takes slots for lost when the server lost its data', () => {
    const history = new History(slots(1));
    history.admitted('reserve', 2000);
    history.fault({ atMs: 2100, fault: 'flush', server: 0 });
    history.admitted('reserve', 2200);
    expect(history.broken).toEqual([]);
  });

  it('finds a refusal while nobody can hold a slot', () => {
    const history = new History(slots(1));
    const held = history.admitted('reserve', 2000);
    const ends = history.begin('settle', 2100, {}, held);
    const early = history.begin('reserve', 2101);
    history.end(early, 2103, refused);
    history.end(ends, 2104, { done: true });
    expect(history.broken).toEqual([]);
    const late = history.begin('reserve', 2105);
    history.end(late, 2107, refused);
    expect(history.broken).toEqual(['slots-freed']);
  });

  it('lets dead holders keep their slots for a lease', () => {
    const refusedAt = (atMs: number): readonly string[] => {
      const history = new History(slots(1));
      history.admitted('reserve', 2000);
      history.fault({ atMs: 3000, fault: 'crash', process: 0 });
      history.end(history.begin('reserve', atMs, { process: 1 }), atMs + 2, refused);
      return history.broken;
    };
    expect(refusedAt(6500)).toEqual([]);
    expect(refusedAt(20_000)).toEqual(['slots-freed']);
  });

  it('lets a reservation that is open when its process closes keep its slot for a lease', () => {
    const refusedAt = (atMs: number, closeMs: number): readonly string[] => {
      const history = new History(slots(1));
      history.admitted('reserve', 2000, { expiresMs: 500 });
      history.done('close', closeMs);
      history.end(history.begin('reserve', atMs, { process: 1 }), atMs + 2, refused);
      return history.broken;
    };
    expect(refusedAt(4900, 2510)).toEqual([]);
    expect(refusedAt(4900, 4000)).toEqual(['slots-freed']);
    expect(refusedAt(20_000, 2510)).toEqual(['slots-freed']);
  });

  it('knows that a process which closes frees no slot, although there is nothing left to settle after a release that failed', () => {
    const refusedAt = (atMs: number, isClosed: boolean): readonly string[] => {
      const history = new History(slots(1));
      const held = history.begin('reserve', 2000);
      if (isClosed) history.done('close', 2001);
      history.end(held, 2002, { decision: decisionOf([]) });
      const error = { name: 'SluiceError', code: 'SLUICE_CLOSED', message: 'the store was closed' };
      if (isClosed) history.corrected('release', 2010, held, {}, { error });
      history.corrected('settle', 2020, held);
      history.end(history.begin('reserve', atMs, { process: 1 }), atMs + 2, refused);
      return history.broken;
    };
    expect(refusedAt(2500, false)).toEqual(['slots-freed']);
    expect(refusedAt(2500, true)).toEqual([]);
    expect(refusedAt(20_000, true)).toEqual(['slots-freed']);
  });

  it('knows that over a table, a renewal may have to wait for another one', () => {
    const admittedBeside = (timeoutMs: number): readonly string[] => {
      const limit = limitOf({ algorithm: 'concurrency', limit: 2, leaseMs: 3000 });
      const history = new History(setupOf([limit], { store: { kind: 'table', server: 0, timeoutMs, instances: 2 } }));
      for (const atMs of [2000, 2010, 12_000]) history.admitted('reserve', atMs);
      return history.broken;
    };
    expect(admittedBeside(13)).toEqual([]);
    expect(admittedBeside(50)).toEqual(['slots']);
  });

  it('does not know which process holds the slot of a call that several repeat while the store fails', () => {
    const heldBeside = (process: number): readonly string[] => {
      const history = new History(slots(1));
      history.fault({ atMs: 1990, fault: 'freeze', server: 0, forMs: 5000 });
      history.admitted('reserve', 2000, {}, { source: 'local' });
      history.begin('reserve', 2010, { id: 'x' });
      history.admitted('reserve', 2011, { id: 'x', process }, { source: 'local' });
      return history.broken;
    };
    expect(heldBeside(0)).toEqual(['slots']);
    expect(heldBeside(1)).toEqual([]);
  });

  it('knows that a repeated call takes a slot anew after the first one has freed it', () => {
    const history = new History(slots(1));
    const first = history.admitted('reserve', 2000, { id: 'x' });
    history.corrected('settle', 2100, first);
    history.admitted('reserve', 2950, { id: 'x' });
    expect(history.broken).toEqual([]);
    history.admitted('reserve', 2960);
    expect(history.broken).toEqual(['slots']);
  });

  it('knows that the slot of a repeated call is free after both calls were settled', () => {
    const history = new History(slots(1));
    const first = history.admitted('reserve', 2000, { id: 'x', rememberMs: 1000 });
    history.corrected('settle', 2100, first);
    const second = history.admitted('reserve', 9000, { id: 'x', rememberMs: 1000 });
    history.corrected('settle', 9100, second);
    history.end(history.begin('reserve', 9300), 9302, refused);
    expect(history.broken).toEqual(['slots-freed']);
  });
});

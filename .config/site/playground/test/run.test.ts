import { describe, expect, it } from '@jest/globals';
import { columnsOf, countsOf } from '../model/columns.js';
import { run } from '../model/run.js';
import { DEFAULT_CLIENT, DEFAULT_LIMIT, defaultState, type LimitState, type State } from '../model/state.js';
import { columnsOf as drawnOf } from '../model/traffic.js';
import { worstWindows } from '../model/worst-window.js';

const stateWith = (limit: Partial<LimitState>, changed: Partial<State> = {}): State => ({
  ...defaultState(),
  limits: [{ ...DEFAULT_LIMIT, ...limit }],
  clients: [{ ...DEFAULT_CLIENT, rate: 1 }],
  ...changed,
});

describe('A run', () => {
  it('admits what the limit admits, and says how long to wait', async () => {
    const { outcomes, problem } = await run(stateWith({ quota: 2, window: '10s' }));
    expect(problem).toBeUndefined();
    expect(countsOf(outcomes)).toEqual({ admitted: 12, delayed: 0, refused: 48 });
    expect(outcomes[2]).toMatchObject({
      atMs: 2000,
      fate: 'refused',
      status: 429,
      fields: {
        'RateLimit-Policy': '"per-10s";q=2;w=10',
        RateLimit: '"per-10s";r=0;t=8',
        'X-RateLimit-Limit': '2',
        'X-RateLimit-Remaining': '0',
        'X-RateLimit-Reset': '8',
        'Retry-After': '8',
        'Content-Type': 'application/problem+json',
        'Cache-Control': 'no-store',
      },
    });
    expect(JSON.parse(outcomes[2]?.body as string)).toMatchObject({ status: 429, 'violated-policies': ['per-10s'] });
  });

  it('delays in a leaky bucket, and lets requests wait for room', async () => {
    const clients = [{ ...DEFAULT_CLIENT, pattern: 'bursts' as const, size: 3, every: 30 }];
    const queue = await run(stateWith({ algorithm: 'leaky-bucket', quota: 3, rate: 2 }, { clients }));
    expect(queue.outcomes.slice(0, 3).map(({ atMs, endedMs }) => endedMs - atMs)).toEqual([0, 434, 867]);
    const waiting = await run(stateWith({ quota: 1, window: '2s' }, { clients, maxWait: '3s' }));
    expect(waiting.outcomes.slice(0, 3).map(({ fate, status }) => `${fate} ${status}`)).toEqual([
      'admitted 200',
      'delayed 200',
      'refused 429',
    ]);
  });

  it('frees a slot when its request ends', async () => {
    const clients = [{ ...DEFAULT_CLIENT, rate: 1, runs: 2500 }];
    const played = await run(stateWith({ algorithm: 'concurrency', quota: 1 }, { clients }));
    expect(countsOf(played.outcomes)).toEqual({ admitted: 20, delayed: 0, refused: 40 });
    expect(worstWindows(stateWith({ algorithm: 'concurrency', quota: 1 }, { clients }), played)).toMatchObject([
      { measured: 1, bound: 1 },
    ]);
  });

  it('admits more of an elastic limit until the process is busy', async () => {
    const state = stateWith({ quota: 5, window: '10s', elastic: 10 }, { busyFrom: 30, busyTo: 60 });
    const { outcomes } = await run(state);
    const admitted = (fromMs: number): number =>
      outcomes.filter(({ fate, atMs }) => fate === 'admitted' && atMs >= fromMs && atMs < fromMs + 30_000).length;
    expect(admitted(0)).toBe(30);
    expect(admitted(30_000)).toBeLessThan(16);
  });

  it('shows what is left as steps, also while nobody asks', async () => {
    const clients = [{ ...DEFAULT_CLIENT, pattern: 'bursts' as const, size: 4, every: 100 }];
    const { steps } = await run(stateWith({ algorithm: 'token-bucket', quota: 4, rate: 1 }, { clients }));
    const [[own = []] = []] = steps;
    expect(
      own
        .filter(({ atMs }) => atMs % 1000 === 0)
        .map(({ remaining }) => remaining)
        .slice(4, 11),
    ).toEqual([4, 4, 3, 1, 2, 3, 4]);
  });

  it('says which option is wrong', async () => {
    const { problem, outcomes } = await run(stateWith({ window: '1 minute' }));
    expect(problem).toContain("use '1m'");
    expect(outcomes).toEqual([]);
  });

  it('bounds how many requests it plays', async () => {
    const { traffic, outcomes } = await run(stateWith({}, { clients: [{ ...DEFAULT_CLIENT, rate: 1e9 }] }), false);
    expect(outcomes).toHaveLength(5000);
    expect(traffic.leftOut).toBeGreaterThan(0);
  });

  it('is divided into columns, from which traffic can be drawn further', async () => {
    const state = stateWith({ quota: 1000 });
    const columns = columnsOf(await run(state));
    expect(columns).toHaveLength(60);
    expect(columns.every(({ counts }) => counts.admitted === 1)).toBe(true);
    expect(drawnOf(state.clients[0] ?? { ...DEFAULT_CLIENT }, state)).toEqual(new Array(60).fill(1));
  });
});

describe('The worst window', () => {
  it('is measured beside the bound', async () => {
    const clients = [{ ...DEFAULT_CLIENT, pattern: 'edge' as const, size: 20 }];
    const fixed = stateWith({ algorithm: 'fixed-window', quota: 20, window: '10s' }, { clients });
    expect(worstWindows(fixed, await run(fixed))).toEqual([
      { windowMs: 10_000, measured: 39, fromMs: 9800, bound: 40 },
    ]);
    const sliding = stateWith({ quota: 20, window: '10s' }, { clients });
    expect(worstWindows(sliding, await run(sliding))).toMatchObject([{ measured: 20, bound: 20 }]);
    const reporting = stateWith({ quota: 20, window: '10s', enforce: 'report' }, { clients });
    expect(worstWindows(reporting, await run(reporting))).toMatchObject([{ measured: 40, bound: Infinity }]);
  });
});

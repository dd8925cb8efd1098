import { calendarsFor } from '@sluice/core/src/values/calendar';
import { readAccessLog } from './access-log.js';
import { evenly, type Traffic } from './arrivals.js';
import { limitOf } from './policy.js';
import { type ClientState, COLUMNS, columnMsOf, type LimitState, type State } from './state.js';

/** More requests than this take longer than a visitor wants to wait. */
const MOST_ARRIVALS = 5000;

/** The start of 2026 in UTC: the start of a month, a day, an hour and a minute. */
const START_MS = Date.UTC(2026, 0, 1);

/** Returns the traffic that a visitor has chosen. */
export function trafficOf(state: State): Traffic {
  if (state.log.trim() !== '') return bounded(readAccessLog(state.log));
  const columnMs = columnMsOf(state.span);
  const edgeMs = edgeOf(state);
  const clients = state.clients.map(({ name, cost, runs, priority }, index) => ({
    name,
    cost,
    runs: Math.max(0, runs),
    priority,
    ip: `192.0.2.${index + 1}`,
  }));
  const arrivals = state.clients.flatMap((client, index) =>
    timesOf(client, state.span * 1000, edgeMs).map((atMs) => ({ atMs, client: index })),
  );
  return bounded({ clients, arrivals, columnMs, leftOut: 0, unread: 0, problem: undefined, startMs: START_MS });
}

function bounded(traffic: Traffic): Traffic {
  // The sort is stable: at the same time, the first client comes first.
  const arrivals = [...traffic.arrivals].sort((a, b) => a.atMs - b.atMs);
  const leftOut = Math.max(0, arrivals.length - MOST_ARRIVALS);
  return { ...traffic, arrivals: leftOut > 0 ? arrivals.slice(0, MOST_ARRIVALS) : arrivals, leftOut };
}

/** Returns where a client that knows the limit waits for: the end of the first window, in the middle if there is none. */
function edgeOf({ limits, span }: State): number {
  for (const form of limits) {
    const ms = form.algorithm.includes('window') ? firstEndMs(form) : undefined;
    if (ms !== undefined && ms < span * 1000) return ms;
  }
  return span * 500;
}

/** Returns when the window ends that has the first request; undefined of a limit that cannot be made: the run says why. */
function firstEndMs(form: LimitState): number | undefined {
  try {
    const { windowMs, align, calendar } = limitOf(form);
    if (calendar) return calendarsFor(calendar, 'window').boundsAround(calendar, START_MS)[2] - START_MS;
    return windowMs && (align === 'clock' ? windowMs - (START_MS % windowMs) : windowMs);
  } catch {
    return undefined;
  }
}

function timesOf(client: ClientState, spanMs: number, edgeMs: number): number[] {
  return PATTERNS[client.pattern](client, spanMs, edgeMs).filter((atMs) => atMs >= 0 && atMs < spanMs);
}

/** A client that takes this long for a burst sends as fast as programs do that send requests beside each other. */
const BURST_MS = 200;

const PATTERNS: Readonly<
  Record<ClientState['pattern'], (client: ClientState, spanMs: number, edgeMs: number) => number[]>
> = {
  steady: ({ rate }, spanMs) => evenly(0, spanMs, countOf(rate * (spanMs / 1000))),

  bursts({ size, every }, spanMs) {
    const most = countOf(size);
    // Nobody comes, however often.
    if (most === 0) return [];
    const times: number[] = [];
    const everyMs = Math.max(1, Math.round(every * 1000));
    for (let atMs = Math.min(everyMs, 5000); atMs < spanMs && times.length < MOST_ARRIVALS * 2; atMs += everyMs) {
      times.push(...evenly(atMs, BURST_MS, most));
    }
    return times;
  },

  /** Nothing, then a run at two and a half times its rate, then a pause, then its rate for a third of the time. */
  crawler({ rate }, spanMs) {
    const part = (share: number): number => Math.round(spanMs * share);
    const units = (rate * spanMs) / 1000;
    return [
      ...evenly(part(0.15), part(0.05), countOf(units * 0.125)),
      ...evenly(part(0.4), part(0.3), countOf(units * 0.3)),
    ];
  },

  /** One request opens a window. The others come just before its end, and just after it. */
  edge({ size }, _spanMs, edgeMs) {
    const most = countOf(size);
    return [0, ...evenly(edgeMs - BURST_MS, BURST_MS, most), ...evenly(edgeMs, BURST_MS, most)];
  },

  drawn({ drawn }, spanMs) {
    const columnMs = spanMs / COLUMNS;
    return drawn.slice(0, COLUMNS).flatMap((count, column) => evenly(column * columnMs, columnMs, countOf(count)));
  },
};

/** Forms may have any number, or none. */
function countOf(wanted: number): number {
  return Number.isFinite(wanted) ? Math.max(0, Math.min(MOST_ARRIVALS * 2, Math.round(wanted))) : 0;
}

/** Returns how many requests a client sends in each column, to be drawn further. */
export function columnsOf(client: ClientState, state: State): number[] {
  const columnMs = columnMsOf(state.span);
  const counts = new Array<number>(COLUMNS).fill(0);
  for (const atMs of timesOf(client, state.span * 1000, edgeOf(state))) {
    const column = Math.floor(atMs / columnMs);
    counts[column] = (counts[column] as number) + 1;
  }
  return counts;
}

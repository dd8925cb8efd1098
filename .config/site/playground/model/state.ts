/** The algorithms that a visitor can choose. */
export const ALGORITHMS = [
  'sliding-window',
  'sliding-window-log',
  'sliding-window-counter',
  'fixed-window',
  'token-bucket',
  'leaky-bucket',
  'concurrency',
] as const;

export type Algorithm = (typeof ALGORITHMS)[number];

/** One limit, as its form has it. Numbers and texts that its algorithm does not use stay as they are. */
export interface LimitState {
  algorithm: Algorithm;
  /** Units per window, units in a full bucket, or slots. */
  quota: number;
  /** The length of a window, such as `10s`. */
  window: string;
  /** Of sliding windows: the number of sub-windows. */
  buckets: number;
  /** Of fixed windows: when a window begins. */
  align: 'first-request' | 'clock' | 'calendar';
  /** With `align: 'calendar'`. */
  unit: 'hour' | 'day' | 'week' | 'month';
  timeZone: string;
  /** Of buckets: units per second, or with an `interval` units per interval. */
  rate: number;
  /** Of token buckets: when units come back together; empty if they come back one by one. */
  interval: string;
  /** Of leaky buckets: places that do not wait. */
  immediate: number;
  /** Of concurrency limits. */
  lease: string;
  /** Whether each client has the limit for itself, or all share it. */
  per: 'client' | 'everyone';
  /** What happens to a request that does not fit. */
  enforce: 'refuse' | 'report' | 'mark';
  countRejected: 'no' | 'yes' | 'always';
  /** How long a refused client stays refused; empty if it is not blocked. */
  block: string;
  /** If blocks grow: the longest one; empty if they do not. */
  longestBlock: string;
  /** The percentage by which the limit may be exceeded. */
  tolerance: number;
  /** The largest limit while the process is calm; 0 for none. */
  elastic: number;
  /** The percentage of the limit that requests of low priority leave free. */
  headroom: number;
  /** The delay for each unit used beyond `slowAfter`; empty for none. */
  slowBy: string;
  slowAfter: number;
  slowUpTo: string;
  /** The units that are guaranteed to each client, of `parts` in total; 0 for none. */
  part: number;
  parts: number;
  /** The percentage of guaranteed units that others may use meanwhile. */
  lend: number;
}

export const PATTERNS = ['steady', 'bursts', 'crawler', 'edge', 'drawn'] as const;

/** When a client sends its requests. */
export type Pattern = (typeof PATTERNS)[number];

/** One client, which has a key of its own. */
export interface ClientState {
  name: string;
  pattern: Pattern;
  /** Of steady clients and of crawlers: requests per second. */
  rate: number;
  /** Of bursts and of clients at the edge of a window: requests at once. */
  size: number;
  /** Of bursts: seconds from one to the next. */
  every: number;
  /** Of drawn traffic: requests in each column. */
  drawn: readonly number[];
  /** Units that a request spends. */
  cost: number;
  /** How many milliseconds a request runs. It holds its slot of a concurrency limit so long. */
  runs: number;
  priority: 'critical' | 'normal' | 'low';
}

/** How many columns the time is divided into. */
export const COLUMNS = 60;

/** How many seconds a visitor can look at. */
export const SPANS = [60, 300, 3600, 86_400] as const;

/** All that a visitor has chosen. A link carries it. */
export interface State {
  limits: LimitState[];
  clients: ClientState[];
  /** An access log, which is the traffic in place of the clients; empty if there is none. */
  log: string;
  /** The seconds of the traffic: one of `SPANS`. A log has its own. */
  span: number;
  /** How long refused requests wait for room; empty if they do not. */
  maxWait: string;
  /** From when to when the process is busy, in seconds: only elastic limits notice. */
  busyFrom: number;
  busyTo: number;
  /** Which header fields are sent. */
  fields: 'draft-11' | 'draft-7' | 'draft-6';
  /** Whether the `X-RateLimit` fields are sent. */
  legacy: boolean;
}

export const DEFAULT_LIMIT: Readonly<LimitState> = Object.freeze({
  algorithm: 'sliding-window',
  quota: 20,
  window: '10s',
  buckets: 20,
  align: 'first-request',
  unit: 'hour',
  timeZone: 'UTC',
  rate: 2,
  interval: '',
  immediate: 0,
  lease: '30s',
  per: 'client',
  enforce: 'refuse',
  countRejected: 'no',
  block: '',
  longestBlock: '',
  tolerance: 0,
  elastic: 0,
  headroom: 0,
  slowBy: '',
  slowAfter: 0,
  slowUpTo: '2s',
  part: 0,
  parts: 0,
  lend: 0,
});

export const DEFAULT_CLIENT: Readonly<ClientState> = Object.freeze({
  name: 'ann',
  pattern: 'steady',
  rate: 1,
  size: 20,
  every: 20,
  drawn: [],
  cost: 1,
  runs: 200,
  priority: 'normal',
});

/** What a visitor sees first. */
export function defaultState(): State {
  return {
    limits: [{ ...DEFAULT_LIMIT }],
    clients: [
      { ...DEFAULT_CLIENT },
      { ...DEFAULT_CLIENT, name: 'crawler', pattern: 'crawler', rate: 4, priority: 'low' },
    ],
    log: '',
    span: 60,
    maxWait: '',
    busyFrom: 30,
    busyTo: 40,
    fields: 'draft-11',
    legacy: true,
  };
}

/** The most of each that a visitor can have. */
export const MOST_LIMITS = 3;
export const MOST_CLIENTS = 4;

/** The length of a column. */
export const columnMsOf = (span: number): number => (span * 1000) / COLUMNS;

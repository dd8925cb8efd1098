import {
  ALGORITHMS,
  type ClientState,
  COLUMNS,
  DEFAULT_CLIENT,
  DEFAULT_LIMIT,
  defaultState,
  type LimitState,
  MOST_CLIENTS,
  MOST_LIMITS,
  PATTERNS,
  SPANS,
  type State,
} from './state.js';

/** Logs have addresses of people, and are long, so that no link has them. */
type Carried = Omit<State, 'log'>;

/** Writes what a visitor has chosen as the hash of a link, without what is as usual. */
export function hashOf({ limits, clients, log: _log, ...rest }: State): string {
  const usual: Carried = defaultState();
  const carried = {
    limits: limits.map((limit) => different(limit, DEFAULT_LIMIT)),
    clients: clients.map((client) => different(client, DEFAULT_CLIENT)),
    ...different(rest, usual),
  };
  return `#${encodeURIComponent(JSON.stringify(carried)).replaceAll("'", '%27').replaceAll('%22', "'").replaceAll('%2C', ',').replaceAll('%3A', ':')}`;
}

function different<T extends object>(given: T, usual: T): Partial<T> {
  const entries = Object.entries(given) as [keyof T, T[keyof T]][];
  return Object.fromEntries(
    entries.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(usual[name])),
  ) as Partial<T>;
}

/** Reads the hash of a link. Anything in it that is no state is as usual. Undefined if it carries none. */
export function stateOf(hash: string): State | undefined {
  const carried = parsed(hash);
  if (carried === undefined) return undefined;
  const { limits, clients, ...rest } = carried;
  const usual = defaultState();
  const state: State = {
    ...usual,
    ...known(rest, usual),
    log: '',
    limits: listOf(limits).slice(0, MOST_LIMITS).map(limitOf),
    clients: listOf(clients).slice(0, MOST_CLIENTS).map(clientOf),
  };
  if (state.limits.length === 0) state.limits = usual.limits;
  if (state.clients.length === 0) state.clients = usual.clients;
  if (!SPANS.some((span) => span === state.span)) state.span = usual.span;
  if (!['draft-11', 'draft-7', 'draft-6'].includes(state.fields)) state.fields = usual.fields;
  return state;
}

function parsed(hash: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const text = decodeURIComponent(hash.replace(/^#/, '').replaceAll("'", '%22'));
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'limits' in value
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Takes the members that have the type of the usual ones. */
function known<T extends object>(given: unknown, usual: T): Partial<T> {
  if (typeof given !== 'object' || given === null) return {};
  const entries = Object.entries(given).filter(
    ([name, value]) => Object.hasOwn(usual, name) && typeof value === typeof usual[name as keyof T],
  );
  return Object.fromEntries(entries) as Partial<T>;
}

function limitOf(given: unknown): LimitState {
  const limit = { ...DEFAULT_LIMIT, ...known(given, DEFAULT_LIMIT) };
  const isKnown =
    ALGORITHMS.includes(limit.algorithm) &&
    ['first-request', 'clock', 'calendar'].includes(limit.align) &&
    ['refuse', 'report', 'mark'].includes(limit.enforce) &&
    ['no', 'yes', 'always'].includes(limit.countRejected);
  return isKnown ? limit : { ...DEFAULT_LIMIT };
}

function clientOf(given: unknown): ClientState {
  const client = { ...DEFAULT_CLIENT, ...known(given, DEFAULT_CLIENT) };
  const drawn = listOf(client.drawn)
    .slice(0, COLUMNS)
    .map((count) => (typeof count === 'number' ? count : 0));
  const isKnown = PATTERNS.includes(client.pattern) && ['critical', 'normal', 'low'].includes(client.priority);
  return isKnown ? { ...client, drawn } : { ...DEFAULT_CLIENT };
}

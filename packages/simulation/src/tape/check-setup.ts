/** Whether a member has a value that can be played. */
type Rule = (value: unknown) => boolean;

/** The members of a part of a set-up: those that it must have, and those that it may have. */
interface Members {
  readonly has: Readonly<Record<string, Rule>>;
  readonly may?: Readonly<Record<string, Rule>>;
}

type Part = Readonly<Record<string, unknown>>;

const isCount: Rule = (value) => isNumber(value) && Number(value) >= 0;
const isNumber: Rule = (value) => Number.isFinite(value);
const isIndex: Rule = (value) => isCount(value) && Number.isInteger(value);
const isPart: Rule = (value) => isCount(value) && Number(value) <= 1;
const isText: Rule = (value) => typeof value === 'string' && value !== '';
const isRange: Rule = (value) =>
  Array.isArray(value) && value.length === 2 && value.every(isCount) && value[0] <= value[1];
const isOneOf =
  (...words: readonly unknown[]): Rule =>
  (value) =>
    words.includes(value);
const isSomeList: Rule = (value) => Array.isArray(value) && value.length > 0;

const ON_SERVER: Members = {
  has: { kind: isText, server: isIndex, timeoutMs: isCount, instances: isIndex },
};

const IN_FRONT = { busyFrom: isOneOf('default') };

const STORES: Readonly<Record<string, Members>> = {
  memory: { has: { kind: isText } },
  redis: ON_SERVER,
  table: ON_SERVER,
  sharded: { has: { kind: isText, nodes: isSomeList } },
  leased: { has: { kind: isText, of: isObject, leaseMs: isCount }, may: IN_FRONT },
  synced: { has: { kind: isText, of: isObject, syncMs: isCount, slice: isCount }, may: IN_FRONT },
};

const PROCESS: Members = { has: { clockAheadMs: isNumber }, may: { code: isIndex, variant: isIndex } };
const SERVER: Members = {
  has: { kind: isOneOf('redis', 'table'), clockAheadMs: isNumber },
  may: { driftPpm: isNumber, farMs: isCount, commandMs: isCount },
};
const NETWORK: Members = { has: { delayMs: isRange, slow: isPart, slowMs: isCount, breaks: isPart, twice: isPart } };
const POLICY: Members = {
  has: { name: isText, onStoreError: isOneOf('local', 'allow', 'deny'), variants: isSomeList },
};
const LIMIT: Members = {
  has: { name: isText, limit: isObject, by: isOneOf('subject', 'everyone') },
  may: { cost: isIndex, enforce: isOneOf(0, 1), tolerance: isPart, guarantee: isObject },
};
const PLAN: Members = {
  has: {
    name: isText,
    onStoreError: isOneOf('local', 'allow', 'deny'),
    limits: isObject,
    hold: isOneOf('default', 'expected', 'ceiling'),
    maxHoldMs: isCount,
  },
  may: {
    together: isObject,
    unknownUsage: isOneOf('counted', 'reserved'),
    unseen: isIndex,
    isWatched: isOneOf(true),
  },
};

/** Stores that may be nested in each other are, with one in front of another, three deep. */
const DEEPEST_STORE = 8;

/** A longer run would be played for hours. */
export const LONGEST_RUN_MS = 7 * 24 * 3_600_000;

/** Returns what is wrong with the form of a set-up. What a limit may be, its constructor says. Empty: nothing. */
export function wrongInSetup(setup: Part): readonly string[] {
  const { processes, servers, store, policies, plans = [], network, lastsMs } = setup;
  return [
    ...wrongInAll('Process', processes, PROCESS),
    ...wrongInAll('Server', servers, SERVER),
    ...wrongInStore(store, servers as readonly Part[], 1),
    ...wrongInAll('Policy', policies, POLICY),
    ...wrongInLimits(policies),
    ...wrongInAll('Plan', plans, PLAN),
    ...wrongIn('The network', network, NETWORK),
    ...(isCount(lastsMs) && Number(lastsMs) <= LONGEST_RUN_MS ? [] : ['lastsMs must be a time of at most a week.']),
  ];
}

function isObject(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wrongInAll(name: string, list: unknown, members: Members): readonly string[] {
  if (!Array.isArray(list)) return [`There is no list of the kind ${name}.`];
  return list.flatMap((one, i) => wrongIn(`${name} ${i}`, one, members));
}

function wrongIn(name: string, part: unknown, { has, may = {} }: Members): readonly string[] {
  if (!isObject(part)) return [`${name} is no object.`];
  const rules = { ...has, ...may };
  const missing = Object.keys(has).filter((member) => part[member] === undefined);
  const known = Object.entries(part).filter(([, value]) => value !== undefined);
  return [
    ...missing.map((member) => `${name} needs ${member}.`),
    ...known.flatMap(([member, value]) => {
      const rule = Object.hasOwn(rules, member) ? rules[member] : undefined;
      if (rule === undefined) return [`${name} has no ${member}.`];
      return rule(value) ? [] : [`${member} of ${name} has a wrong value.`];
    }),
  ];
}

function wrongInStore(store: unknown, servers: readonly Part[], depth: number): readonly string[] {
  if (depth > DEEPEST_STORE) return [`Stores are nested more than ${DEEPEST_STORE} times.`];
  const kind = isObject(store) ? String(store.kind) : 'nothing';
  const members = Object.hasOwn(STORES, kind) ? STORES[kind] : undefined;
  if (members === undefined || !isObject(store)) return [`There is no store of the kind ${kind}.`];
  const own = wrongIn('The store', store, members);
  if (own.length > 0) return own;
  const inner = Array.isArray(store.nodes) ? store.nodes : store.of === undefined ? [] : [store.of];
  const server = members === ON_SERVER ? servers[Number(store.server)] : undefined;
  const isOther = isObject(server) && server.kind !== kind;
  return [
    ...(isOther ? [`The store on server ${store.server} is of the kind ${kind}, and the server is not.`] : []),
    ...inner.flatMap((one) => wrongInStore(one, servers, depth + 1)),
  ];
}

function wrongInLimits(policies: unknown): readonly string[] {
  if (!Array.isArray(policies)) return [];
  return policies.flatMap((policy, i) => {
    if (!isObject(policy) || !Array.isArray(policy.variants)) return [];
    return policy.variants.flatMap((variant, of) => {
      const name = `variant ${of} of policy ${i}`;
      return isSomeList(variant)
        ? wrongInAll(`A limit of ${name}:`, variant, LIMIT)
        : [`There is no limit in ${name}.`];
    });
  });
}

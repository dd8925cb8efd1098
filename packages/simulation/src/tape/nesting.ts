/**
 * Which stores may stand in front of which, and what each of them can count. Generators of tapes draw only what is allowed
 * here, the page `docs/stores.md` of core shows the same, and tests compare both with the stores.
 */

/** A store that counts by itself, or stores in front of others. The stores of a tape are such trees. */
export type StoreTree =
  | { readonly kind: BaseKind }
  | { readonly kind: 'sharded'; readonly nodes: readonly StoreTree[] }
  | { readonly kind: 'leased' | 'synced'; readonly of: StoreTree };

/** `cluster` is a RedisStore on a Redis cluster, and `table` one of `compareAndSwapStore`. */
export type BaseKind = 'memory' | 'redis' | 'cluster' | 'postgres' | 'table';
export type FrontKind = 'sharded' | 'leased' | 'synced';
export type StoreKind = BaseKind | FrontKind;

export const BASE_KINDS: readonly BaseKind[] = ['memory', 'redis', 'cluster', 'postgres', 'table'];
export const FRONT_KINDS: readonly FrontKind[] = ['leased', 'synced', 'sharded'];

/** Whether something works, and if not, when that is said and why. */
export type Cell = 'allowed' | Refusal;

export interface Refusal {
  /** When the store is made; when a policy is made on it or replaced; or with the first request or call. */
  readonly refusedAt: Stage;
  readonly code: 'SLUICE_OPTION' | 'SLUICE_UNSUPPORTED';
  /** As the page says it. */
  readonly because: string;
}

export type Stage = 'store' | 'policy' | 'request';

const STAGES: readonly Stage[] = ['store', 'policy', 'request'];

/** What may stand behind a store. Nodes that are in front of others themselves have a column of their own. */
export type Behind = StoreKind | 'sharded-inexact';

const RETURNS_VALUES: Refusal = {
  refusedAt: 'store',
  code: 'SLUICE_OPTION',
  because: 'it returns values, and is in one process',
};
const INEXACT: Refusal = {
  refusedAt: 'store',
  code: 'SLUICE_OPTION',
  because: 'its decisions are not exact',
};

const BEHIND_SLICES: Readonly<Record<Behind, Cell>> = {
  memory: RETURNS_VALUES,
  redis: 'allowed',
  cluster: 'allowed',
  postgres: 'allowed',
  table: 'allowed',
  sharded: 'allowed',
  'sharded-inexact': INEXACT,
  leased: INEXACT,
  synced: INEXACT,
};

/** By the store in front, then by the store behind it. */
export const NESTING: Readonly<Record<FrontKind, Readonly<Record<Behind, Cell>>>> = {
  leased: BEHIND_SLICES,
  synced: BEHIND_SLICES,
  sharded: {
    memory: RETURNS_VALUES,
    redis: 'allowed',
    cluster: 'allowed',
    postgres: 'allowed',
    table: 'allowed',
    sharded: 'allowed',
    'sharded-inexact': 'allowed',
    leased: 'allowed',
    synced: 'allowed',
  },
};

/** Whether a store can be made of these stores. */
export function nestingOf(tree: StoreTree): Cell {
  for (const child of childrenOf(tree)) {
    const below = nestingOf(child);
    if (below !== 'allowed') return below;
    const here = NESTING[tree.kind as FrontKind][behindOf(child)];
    if (here !== 'allowed') return here;
  }
  return 'allowed';
}

/** Returns the stores behind this one. */
export function childrenOf(tree: StoreTree): readonly StoreTree[] {
  if ('nodes' in tree) return tree.nodes;
  return 'of' in tree ? [tree.of] : [];
}

/** Returns the kinds of a store and of all behind it, from the front. */
export function kindsOf(tree: StoreTree): readonly StoreTree['kind'][] {
  return [tree.kind, ...childrenOf(tree).flatMap(kindsOf)];
}

function behindOf(tree: StoreTree): Behind {
  return tree.kind === 'sharded' && !isExact(tree) ? 'sharded-inexact' : tree.kind;
}

function isExact(tree: StoreTree): boolean {
  return tree.kind !== 'leased' && tree.kind !== 'synced' && childrenOf(tree).every(isExact);
}

/** Something that a policy states, or that is asked of a limiter. */
export type FeatureName = keyof typeof FEATURES;

/** What a store in front or behind says about a feature. */
export interface Feature {
  /** The name in the page. */
  readonly words: string;
  /** The stores that refuse it themselves. A store in front also refuses what one behind it refuses. */
  readonly refusedBy?: Readonly<Partial<Record<StoreKind, Refusal>>>;
  /** Whether leased and synced stores ask the store behind them about every such request. */
  readonly isPassedOn?: true;
}

function refusedBySlices(refusal: Refusal): Pick<Feature, 'refusedBy'> {
  return { refusedBy: { leased: refusal, synced: refusal } };
}

const COUNTED_LATER: Refusal = {
  refusedAt: 'policy',
  code: 'SLUICE_UNSUPPORTED',
  because: 'it has no bound if its units are counted later',
};
const EXCEEDED_LATER: Refusal = {
  refusedAt: 'policy',
  code: 'SLUICE_OPTION',
  because: 'units that are counted later would pass the limit each time',
};
const LEAKY_APART: Refusal = {
  refusedAt: 'request',
  code: 'SLUICE_UNSUPPORTED',
  because: 'a leaky bucket gives nothing back, and no step reaches both',
};
const PARTS_APART: Refusal = {
  refusedAt: 'policy',
  code: 'SLUICE_OPTION',
  because: 'no step reaches all keys of a guarantee',
};
const PARTS_ELSEWHERE: Refusal = {
  refusedAt: 'policy',
  code: 'SLUICE_OPTION',
  because: 'units that are counted later are missing in the parts of others',
};
/** What policies state and limiters do, and who refuses it. */
export const FEATURES = {
  'sliding-window': { words: '`slidingWindow`, and a number with a `window`' },
  'sliding-window-log': { words: '`slidingWindowLog`' },
  'fixed-window': { words: '`fixedWindow`, also of the calendar' },
  'token-bucket': { words: '`tokenBucket`' },
  'bucket-without-refill': { words: '`tokenBucket` that never refills' },
  'bucket-refilled-within-lease': {
    words: '`tokenBucket` that refills within the `lease`',
    refusedBy: {
      leased: { refusedAt: 'policy', code: 'SLUICE_OPTION', because: 'its stricter limit would be 0' },
    },
  },
  'sliding-window-counter': { words: '`slidingWindowCounter`', ...refusedBySlices(COUNTED_LATER) },
  'leaky-bucket': { words: '`leakyBucket`', ...refusedBySlices(COUNTED_LATER) },
  'leaky-buckets-of-several-subjects': {
    words: 'leaky buckets of several subjects in one request',
    refusedBy: { ...refusedBySlices(COUNTED_LATER).refusedBy, cluster: LEAKY_APART, sharded: LEAKY_APART },
  },
  concurrency: { words: '`concurrency`', ...refusedBySlices(COUNTED_LATER) },
  tier: { words: 'a function that chooses a limit it can count, or `unlimited()`' },
  'tier-of-unleasable': {
    words: 'a function that chooses a `leakyBucket`, `concurrency` or `slidingWindowCounter`',
    ...refusedBySlices({ ...COUNTED_LATER, refusedAt: 'request' }),
  },
  'several-subjects': { words: 'limits of several subjects in one request' },
  'different-costs': { words: 'limits with different costs', isPassedOn: true },
  'count-rejected': { words: '`countRejected`', isPassedOn: true },
  'block-duration': { words: '`blockDuration`', isPassedOn: true },
  shadow: { words: '`enforce: 0`', isPassedOn: true },
  margins: { words: '`tolerance`, `elastic`, `headroom`', ...refusedBySlices(EXCEEDED_LATER) },
  guarantee: {
    words: '`guarantee`',
    refusedBy: { cluster: PARTS_APART, sharded: PARTS_APART, ...refusedBySlices(PARTS_ELSEWHERE).refusedBy },
  },
  'slow-down': { words: '`slowDown`' },
  'on-store-error': { words: "`onStoreError: 'local'`, `'allow'` and `'deny'`" },
  'replace-policy': { words: '`replacePolicy`' },
  'charge-and-refund': { words: '`peek`, `charge`, `refund`, `reset`' },
  reservation: { words: '`reserve`, `settle`, `cancel`' },
  expiry: { words: '`reserve` with `expires`' },
  operation: { words: '`consume` and `reserve` with an `id`', isPassedOn: true },
  charge: { words: '`chargeOf` and `correct`' },
  block: { words: '`block`, `unblock`, `blocked`, `inspect`' },
  wait: { words: '`wait`' },
  line: { words: '`createLine`' },
} as const satisfies Readonly<Record<string, Feature>>;

export const FEATURE_NAMES = Object.keys(FEATURES) as readonly FeatureName[];

/** Whether a feature works over a store that can be made. If several of its stores refuse it, the earliest refusal counts. */
export function featureOver(name: FeatureName, tree: StoreTree): Cell {
  const { refusedBy = {} }: Feature = FEATURES[name];
  // One node has all keys.
  const isSingle = 'nodes' in tree && tree.nodes.length === 1;
  const cells = childrenOf(tree).map((child) => featureOver(name, child));
  const refusals = [isSingle ? undefined : refusedBy[tree.kind], ...cells].filter(isRefusal);
  return STAGES.flatMap((stage) => refusals.filter(({ refusedAt }) => refusedAt === stage))[0] ?? 'allowed';
}

function isRefusal(cell: Cell | undefined): cell is Refusal {
  return typeof cell === 'object';
}

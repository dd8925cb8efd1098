/** Everyday usages: each must compile, and infer what is written on its left. Nothing here runs. */
import {
  concurrency,
  createLimiter,
  type Decision,
  type Duration,
  duration,
  everyone,
  type Key,
  type Limiter,
  type LimitItem,
  leakyBucket,
  MemoryStore,
  type PolicyOptions,
  type Reservation,
  type Store,
  slidingWindow,
  subscribe,
  tokenBucket,
  unlimited,
} from '@sluice/core';

declare const remote: Store<true>;
declare const either: Store;

interface User {
  readonly id: string;
  readonly tenant: number;
  readonly plan: 'free' | 'paid';
}

// Over a store that answers at once, answers are values.
const simple = createLimiter({ limit: 100, window: '1m' });
export const atOnce: Decision = simple.consume('ann');
export const look: Decision = simple.peek('ann', { cost: 5 });
export const isAllowed: boolean = createLimiter({ limit: 1, window: 1000, store: new MemoryStore() }).consume(
  'ann',
).allowed;

export function settleAtOnce(): void {
  const reservation: Reservation<false> = simple.reserve('ann', { cost: 10 });
  reservation.settle(7);
  reservation.settle({ 'per-1m': 7 });
  reservation.cancel();
  const refunded: Decision = simple.refund('ann');
  const charged: Decision = simple.charge('ann', { cost: 3 });
  const wasKnown: boolean = simple.reset(['ip', '203.0.113.7']);
  void [refunded.allowed, charged.tightest.used, wasKnown];
}

// Over one that answers later, they are promises.
const shared = createLimiter({ limit: 100, window: '1m', store: remote });
export const later: Promise<Decision> = shared.consume('ann');
export const laterByTier: Promise<Decision> = createLimiter({ limit: () => 5, window: '1m', store: remote }).consume(
  'ann',
);
export const laterByLaterTier: Promise<Decision> = createLimiter({
  limit: async (id: string) => (id === 'root' ? unlimited() : slidingWindow({ limit: 5, window: '1m' })),
  store: remote,
}).consume('ann');

export async function settleLater(): Promise<void> {
  const reservation: Reservation<true> = await shared.reserve('ann', { cost: 10 });
  const settling: Promise<void> = reservation.settle(7);
  await settling.then(() => reservation.cancel());
  const wasKnown: Promise<boolean> = shared.reset('ann');
  const refunded: Promise<Decision> = wasKnown.then(() => shared.refund('ann'));
  await refunded.then(() => shared.charge('ann'));
}

// Over one that is not known, or with functions that answer later, both are possible, and await takes both.
export const unknown: Decision | Promise<Decision> = createLimiter({ limit: 1, window: '1m', store: either }).consume(
  'ann',
);

export async function laterOverMemory(): Promise<readonly boolean[]> {
  const plans = new Map([['free', slidingWindow({ limit: 10, window: '1m' })]]);
  const limiters = [
    createLimiter({ limit: async (id: string) => id.length, window: '1m' }),
    createLimiter({ limit: async (id: string) => plans.get(id) ?? unlimited(), store: new MemoryStore() }),
    createLimiter({ limit: (id: string) => (id === 'known' ? 5 : Promise.resolve(6)), window: '1m' }),
    createLimiter({ limit: 1, window: '1m', keyGenerator: async (id: string) => id }),
    createLimiter({ limit: 1, window: '1m', keyGenerator: [(id: string) => id, async () => 'all'] }),
    createLimiter({ limit: 1, window: '1m', cost: async () => 2, skip: async () => false }),
    createLimiter({ limits: [{ limit: async () => 5, window: '1m' }, slidingWindow({ limit: 1, window: '1s' })] }),
  ];
  const decisions = await Promise.all(limiters.map((limiter) => limiter.consume('ann')));
  const reservation = await limiters[0]?.reserve('ann');
  await reservation?.settle(1);
  return decisions.map(({ allowed }) => allowed);
}

// Waiting is asynchronous by nature.
export async function waits(signal: AbortSignal): Promise<void> {
  const queue = createLimiter({ limit: leakyBucket({ capacity: 10, leakRate: 2 }) });
  const { allowed }: Reservation<false> = await queue.wait('ann', { cost: 2, signal, maxWait: '30s' });
  if (allowed) await queue.wait('ann');
}

// The subject is text, or what the keyGenerator says that it takes.
const byUser = createLimiter({ limit: 100, window: '1m', keyGenerator: (user: User) => user.id });
declare const user: User;
export const forUser: Decision = byUser.consume(user);
export const byNumber: Decision = createLimiter<number>({ limit: 5, window: '1s' }).consume(42);
export const declared: Decision = createLimiter<User>({
  limit: ({ plan }) => (plan === 'paid' ? 1000 : 10),
  window: '1h',
  keyGenerator: ({ id }) => id,
}).consume(user);
export const declaredLater: Promise<Decision> = createLimiter<User, true>({
  limit: 10,
  window: '1h',
  keyGenerator: ({ id }) => id,
  store: remote,
}).consume(user);

// A compound key, a key that may be missing, a key of lists, and one for all.
export const compound: Limiter<User, false> = createLimiter({
  limit: 100,
  window: '1m',
  keyGenerator: [(user: User) => user.tenant, (user: User) => user.id],
});
export const mayBeMissing: Limiter<Partial<User>, false> = createLimiter({
  limit: 1,
  window: '1m',
  keyGenerator: (user: Partial<User>) => user.id,
});
export const nested: Limiter<User, false> = createLimiter({
  limit: 1,
  window: '1m',
  keyGenerator: ({ tenant, id }: User): Key => ['tenant', tenant, ['user', id]],
});
export const forAll: Limiter<string, false> = createLimiter({ limit: 1, window: '1m', keyGenerator: everyone() });

// Several limits: Limits and items, side by side.
export const several: Limiter<User, false> = createLimiter({
  name: 'chat',
  cost: (user: User) => (user.plan === 'paid' ? 1 : 2),
  keyGenerator: (user: User) => user.id,
  limits: [
    slidingWindow({ limit: 20, window: '1m' }),
    { limit: 1000, window: '1d', name: 'daily' },
    { limit: tokenBucket({ capacity: 10, refillRate: 0.5 }), enforce: 0 },
    {
      limit: (user: User) => (user.plan === 'paid' ? unlimited() : slidingWindow({ limit: 1, window: '1s' })),
      cost: 1,
    },
    { limit: concurrency({ limit: 3, lease: '30s' }), keyGenerator: (user: User) => user.tenant },
    { name: 'trial', limit: 5, window: '1h', enforce: () => 0.1 },
  ],
  skip: (user: User) => user.plan === 'paid',
  onStoreError: 'deny',
});

// Options made elsewhere, and stores that may be absent.
const fromEnvironment: Duration = duration(process.env.WINDOW ?? '1m', 'WINDOW');
export const configured: Decision = createLimiter({
  limit: Number(process.env.LIMIT),
  window: fromEnvironment,
}).consume('ann');
const item: LimitItem<[subject: string], false> = { limit: 5, window: '15m' };
const options: PolicyOptions<[subject: string], false> = { limits: [item, unlimited()], store: undefined };
export const prepared: Limiter<string, false> = createLimiter(options);
export const constant = createLimiter({
  limits: [slidingWindow({ limit: 1, window: '1s' })] as const,
  enforce: 1,
} as const);

// Guarantees: the functions tell the subject, and promises ask for an asynchronous store.
export const divided: Limiter<User, false> = createLimiter({
  limit: 1000,
  window: '1m',
  keyGenerator: everyone(),
  lend: 0.5,
  guarantee: {
    limit: (user: User) => (user.id === 'ann' ? 100 : 0),
    keyGenerator: (user: User) => user.id,
    total: 300,
  },
});
export const dividedRemotely: Limiter<User, true> = createLimiter({
  limits: [
    {
      limit: tokenBucket({ capacity: 100, refillRate: 10 }),
      keyGenerator: everyone(),
      guarantee: { limit: async (user: User) => user.id.length, keyGenerator: [(user: User) => user.id], total: 50 },
    },
  ],
  store: remote,
});

/** Over whatever store the caller has. */
export function over<Async extends boolean>(store: Store<Async>): Limiter<string, Async> {
  return createLimiter({ limit: 1, window: '1m', store });
}

// Durations: numbers, text with a unit, and text that is known only at run time.
export const durations: readonly Duration[] = [
  1,
  60_000,
  '500ms',
  '0.5s',
  '1m',
  '1.5h',
  '1d',
  `${2 * 45}m`,
  fromEnvironment,
];

// Answers narrow as they are read.
export function describeWait({ allowed, retryAfterMs, tightest }: Decision): string {
  if (allowed) return `${tightest.remaining} left`;
  return retryAfterMs === 'never' ? 'never' : `in ${Math.ceil(retryAfterMs / 1000)} s`;
}

// Events have their message's type.
export const stop: () => void = subscribe('sluice:decision', ({ decision, keys, durationMs }) => {
  const row: readonly [boolean, readonly string[], number] = [decision.allowed, keys, durationMs];
  return void row;
});

import {
  createLimiter,
  type Decision,
  type Limiter,
  type LimitItem,
  MemoryStore,
  type PolicyOptions,
} from '@sluice/core';
import type { LoggedRequest } from '../log/logged-request.js';
import type { LimitBender } from './bent-limit.js';
import { LogClock } from './log-clock.js';
import type { PolicyForLog } from './replayed-policy.js';
import type { RequestView } from './request-view.js';

/** The number that stands for no policy. */
export const NONE = -1;

/**
 * Is told of each decision of a policy.
 *
 * @param policy - the number of the policy
 * @param decision - undefined if the policy refused the request for its sender, without asking a limit
 */
export type DecisionObserver = (policy: number, decision: Decision | undefined) => void;

/** How a chain decides. */
export interface ChainOptions {
  readonly maxKeys: number;
  /** A time before the first request. */
  readonly startMs: number;
  readonly observe?: DecisionObserver;
  /** Changes each limit before it is used. */
  readonly bend?: LimitBender;
}

/** One policy on the store of its chain. */
interface Stage {
  readonly view: RequestView;
  /** Decides about the request that the view has turned to. */
  readonly decide: (request: LoggedRequest) => Decision;
}

/**
 * Asks the policies about one request after another, on the clock of the log, through the limiter that also decides in
 * production. All policies that match are asked in their order; the first refusal ends it. What the policies before it have
 * spent stays spent, as in an application.
 */
export class PolicyChain {
  readonly #clock = new LogClock();
  readonly #stages: readonly Stage[];
  readonly #store: MemoryStore;
  readonly #observe: DecisionObserver | undefined;

  constructor(views: readonly RequestView[], { maxKeys, startMs, observe, bend }: ChainOptions) {
    this.#clock.nowMs = startMs;
    const store = new MemoryStore({ clock: this.#clock, maxKeys, name: 'replay' });
    this.#stages = views.map((view) => ({ view, decide: limiterOn(store, view, bend) }));
    this.#store = store;
    this.#observe = observe;
  }

  /**
   * Decides about a request. A time before that of the last request counts as that time. Returns the number of the policy
   * that refuses it, or `NONE`.
   */
  decide(request: LoggedRequest, atMs: number): number {
    if (atMs > this.#clock.nowMs) this.#clock.nowMs = atMs;
    for (let i = 0; i < this.#stages.length; i += 1) {
      const { view, decide } = this.#stages[i] as Stage;
      const standing = view.turnTo(request, atMs);
      if (standing === 'unmatched' || standing === 'exempt') continue;
      const decision = standing === 'counted' ? decide(request) : undefined;
      this.#observe?.(i, decision);
      if (decision?.allowed !== true) return i;
    }
    return NONE;
  }

  close(): void {
    this.#store.close();
  }
}

/**
 * Makes a limiter that counts by the texts of the keys. Their encodings are shorter, and nobody else uses the store. If a share
 * of keys is enforced, the keys themselves count, because the share is chosen by them.
 */
function limiterOn(store: MemoryStore, view: RequestView, bend: LimitBender | undefined): Stage['decide'] {
  const { keyOfLimit } = view.policy;
  const compiled = bend ? bentPolicy(view.policy.compile(store), bend) : view.policy.compile(store);
  const { skip: _skip, ...own } = compiled;
  const isShared = compiled.limits.some(({ enforce = 1 }) => enforce !== 0 && enforce !== 1 && enforce !== 'mark');
  if (!isShared && keyOfLimit.every((number) => number === 0)) {
    const limiter = textLimiter(store, compiled);
    if (limiter) return () => limiter.consume(view.texts[0] as string);
  }
  const keyOf = (number: number) => (isShared ? () => view.keys[number] ?? '' : () => view.texts[number] as string);
  const limits = compiled.limits.map((item, i) => ({ ...item, keyGenerator: keyOf(keyOfLimit[i] as number) }));
  const limiter = createLimiter<LoggedRequest>({ ...own, store, limits } as PolicyOptions<[LoggedRequest], false>);
  return (request) => limiter.consume(request);
}

function bentPolicy(policy: PolicyForLog, bend: LimitBender): PolicyForLog {
  const limits = policy.limits.map((item): PolicyForLog['limits'][number] => {
    // The limits of a file are objects, or functions that choose one of them.
    if (item.window !== undefined) return item;
    const { limit } = item;
    return { ...item, limit: typeof limit === 'function' ? (request) => bend(limit(request)) : bend(limit) };
  });
  return { ...policy, limits };
}

/** Makes a limiter of texts, which is faster; undefined if anything but the key depends on the request. */
function textLimiter(store: MemoryStore, { name, cost = 1, limits }: PolicyForLog): Limiter<string, false> | undefined {
  const items: LimitItem<[text: string], false>[] = [];
  for (const { name, limit, cost: own, enforce, keyGenerator: _key, ...rest } of limits) {
    if (typeof limit !== 'object' || typeof own === 'function' || Object.keys(rest).length > 0) return undefined;
    items.push({
      limit,
      ...(name !== undefined && { name }),
      ...(own !== undefined && { cost: own }),
      ...(enforce !== undefined && { enforce }),
    });
  }
  return typeof cost === 'function' ? undefined : createLimiter<string>({ name, store, cost, limits: items });
}

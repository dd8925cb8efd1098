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
import type { PolicyForLog, ReplayedPolicy } from './replayed-policy.js';
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
  /** Decides by these policies, one for each view. They have the same keys, and other numbers. Default: those of the views. */
  readonly policies?: readonly ReplayedPolicy[];
}

/** One policy on the store of its chain. */
interface Stage {
  readonly view: RequestView;
  /** Decides about the request that the view has turned to. */
  readonly decide: (request: LoggedRequest) => Decision;
  /** The same, but an admission spends nothing. */
  readonly tryOut: (request: LoggedRequest) => Decision;
}

/**
 * Asks the policies about one request after another, on the clock of the log, through the limiter that also decides in
 * production. All policies that match are asked in their order; the first refusal ends it. If a limit refuses, what the policies
 * before it have spent stays spent. If a policy refuses the sender, they get it back. Both are as in an application.
 */
export class PolicyChain {
  readonly #clock = new LogClock();
  readonly #stages: readonly Stage[];
  readonly #store: MemoryStore;
  readonly #observe: DecisionObserver | undefined;

  constructor(views: readonly RequestView[], { maxKeys, startMs, observe, bend, policies }: ChainOptions) {
    this.#clock.nowMs = startMs;
    const store = new MemoryStore({ clock: this.#clock, maxKeys, name: 'replay' });
    this.#stages = views.map((view, i) => {
      const compiled = (policies?.[i] ?? view.policy).compile(store);
      return { view, ...deciderOn(store, view, bend ? bentPolicy(compiled, bend) : compiled) };
    });
    this.#store = store;
    this.#observe = observe;
  }

  /**
   * Decides about a request. A time before that of the last request counts as that time. Returns the number of the policy
   * that refuses it, or `NONE`.
   *
   * @param isKept - false if what the request spends is given back, because a policy after this chain refuses its sender
   */
  decide(request: LoggedRequest, atMs: number, isKept = true): number {
    if (atMs > this.#clock.nowMs) this.#clock.nowMs = atMs;
    const end = this.#refusedBySender(request, atMs);
    for (let i = 0; i < this.#stages.length; i += 1) {
      const { view, decide, tryOut } = this.#stages[i] as Stage;
      const standing = view.turnTo(request, atMs);
      if (standing === 'unmatched' || standing === 'exempt') continue;
      const ask = isKept && (i >= end || end === this.#stages.length) ? decide : tryOut;
      const decision = standing === 'counted' ? ask(request) : undefined;
      this.#observe?.(i, decision);
      if (decision?.allowed !== true) return i;
    }
    return NONE;
  }

  /** Returns the number of the first policy that refuses a request for its sender; the number of policies if none does. */
  #refusedBySender(request: LoggedRequest, atMs: number): number {
    const { length } = this.#stages;
    if (length === 1) return length;
    for (let i = 0; i < length; i += 1) if (this.#stages[i]?.view.turnTo(request, atMs) === 'refused') return i;
    return length;
  }

  close(): void {
    this.#store.close();
  }
}

/**
 * Makes a limiter that counts by the texts of the keys. Their encodings are shorter, and nobody else uses the store. If a share
 * of keys is enforced, the keys themselves count, because the share is chosen by them.
 */
function deciderOn(store: MemoryStore, view: RequestView, compiled: PolicyForLog): Pick<Stage, 'decide' | 'tryOut'> {
  const { keyOfLimit } = view.policy;
  const isShared = compiled.limits.some(({ enforce = 1 }) => enforce !== 0 && enforce !== 1 && enforce !== 'mark');
  const hasOneKey = keyOfLimit.every((number) => number === 0);
  const byText = !isShared && hasOneKey ? textLimiter(store, compiled) : undefined;
  if (byText) return deciderBy(byText, () => view.texts[0] as string);
  const keyOf = (number: number) => (isShared ? () => view.keys[number] ?? '' : () => view.texts[number] as string);
  const limits = compiled.limits.map((item, i) => ({ ...item, keyGenerator: keyOf(keyOfLimit[i] as number) }));
  const { skip: _skip, ...own } = compiled;
  const options = { ...own, store, limits } as PolicyOptions<[LoggedRequest], false>;
  return deciderBy(createLimiter<LoggedRequest>(options), (request) => request);
}

function deciderBy<Subject>(
  limiter: Limiter<Subject, false>,
  subjectOf: (request: LoggedRequest) => Subject,
): Pick<Stage, 'decide' | 'tryOut'> {
  const decide = (request: LoggedRequest): Decision => limiter.consume(subjectOf(request));
  return {
    decide,
    tryOut: (request) => {
      const decision = limiter.peek(subjectOf(request));
      // A refusal may spend, or begin a block.
      return decision.allowed ? decision : decide(request);
    },
  };
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

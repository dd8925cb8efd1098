import {
  createLimiter,
  type Decision,
  type Limiter,
  type LimitItem,
  MemoryStore,
  type PolicyOptions,
  type Reservation,
} from '@sluice/core';
import type { LoggedRequest } from '../log/logged-request.js';
import type { LimitShift } from './limit-shift.js';
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
interface ChainOptions {
  readonly maxKeys: number;
  /** A time before the first request. */
  readonly startMs: number;
  readonly observe?: DecisionObserver;
  /** Changes each limit before it is used. */
  readonly shift?: LimitShift;
  /** Decides by these policies, one for each view. They have the same keys, and other numbers. Default: those of the views. */
  readonly policies?: readonly ReplayedPolicy[];
}

/** How a policy decides about the request that its view has turned to. */
interface Decider {
  readonly consume: (request: LoggedRequest) => Decision;
  /** The same. What was spent can be given back. */
  readonly reserve: (request: LoggedRequest) => Reservation<false>;
}

/** One policy on the store of its chain. */
interface Stage extends Decider {
  readonly view: RequestView;
}

/**
 * Asks the policies about one request after another, on the clock of the log, through the limiter that also decides in
 * production. All policies that match are asked in their order; the first refusal ends it. What the policies before it have spent
 * is given back, as in an application.
 */
export class PolicyChain {
  readonly #clock = new LogClock();
  readonly #stages: readonly Stage[];
  readonly #store: MemoryStore;
  readonly #observe: DecisionObserver | undefined;
  /** What the request under way has spent. */
  readonly #charges: Reservation<false>[] = [];

  constructor(views: readonly RequestView[], { maxKeys, startMs, observe, shift, policies }: ChainOptions) {
    this.#clock.nowMs = startMs;
    const store = new MemoryStore({ clock: this.#clock, maxKeys, name: 'replay' });
    this.#stages = views.map((view, i) => {
      const compiled = (policies?.[i] ?? view.policy).compile(store);
      return { view, ...deciderOn(store, view, shift ? shiftedPolicy(compiled, shift) : compiled) };
    });
    this.#store = store;
    this.#observe = observe;
  }

  /**
   * Decides about a request. A time before that of the last request counts as that time. Returns the number of the policy
   * that refuses it, or `NONE`.
   *
   * @param isKept - false if what the request spends is given back, because a policy after this chain refuses it
   */
  decide(request: LoggedRequest, atMs: number, isKept = true): number {
    if (atMs > this.#clock.nowMs) this.#clock.nowMs = atMs;
    for (let i = 0; i < this.#stages.length; i += 1) {
      const stage = this.#stages[i] as Stage;
      const standing = stage.view.turnTo(request, atMs);
      if (standing === 'unmatched' || standing === 'exempt') continue;
      const isFinal = isKept && this.#isLast(i, request, atMs);
      const decision = standing === 'counted' ? this.#ask(stage, request, isFinal) : undefined;
      this.#observe?.(i, decision);
      if (decision?.allowed === true) continue;
      this.#giveBack();
      return i;
    }
    if (!isKept) this.#giveBack();
    else if (this.#charges.length > 0) this.#charges.length = 0;
    return NONE;
  }

  /** To be able to give back costs more than to decide: it is left out where nothing can ask for it. */
  #ask({ consume, reserve }: Stage, request: LoggedRequest, isFinal: boolean): Decision {
    if (isFinal) return consume(request);
    const charge = reserve(request);
    this.#charges.push(charge);
    return charge;
  }

  /** Whether no policy after this one can refuse the request. */
  #isLast(number: number, request: LoggedRequest, atMs: number): boolean {
    for (let i = number + 1; i < this.#stages.length; i += 1) {
      const standing = this.#stages[i]?.view.turnTo(request, atMs);
      if (standing === 'counted' || standing === 'refused') return false;
    }
    return true;
  }

  /** A refusal is given back, too: it has charged nothing, and nothing happens. */
  #giveBack(): void {
    if (this.#charges.length === 0) return;
    for (const charge of this.#charges) charge.cancel();
    this.#charges.length = 0;
  }

  close(): void {
    this.#store.close();
  }
}

/**
 * Makes a limiter that counts by the texts of the keys. Their encodings are shorter, and nobody else uses the store. If a share
 * of keys is enforced, the keys themselves count, because the share is chosen by them.
 */
function deciderOn(store: MemoryStore, view: RequestView, compiled: PolicyForLog): Decider {
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

function deciderBy<Subject>(limiter: Limiter<Subject, false>, subjectOf: (request: LoggedRequest) => Subject): Decider {
  return {
    consume: (request) => limiter.consume(subjectOf(request)),
    reserve: (request) => limiter.reserve(subjectOf(request)),
  };
}

function shiftedPolicy(policy: PolicyForLog, shift: LimitShift): PolicyForLog {
  const limits = policy.limits.map((item): PolicyForLog['limits'][number] => {
    // The limits of a file are objects, or functions that choose one of them.
    if (item.window !== undefined) return item;
    const { limit } = item;
    return { ...item, limit: typeof limit === 'function' ? (request) => shift(limit(request)) : shift(limit) };
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

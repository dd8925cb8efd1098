import type { LoggedRequest } from '../log/logged-request.js';
import { KeyCounts } from './key-counts.js';
import { type DecisionObserver, PolicyChain } from './policy-chain.js';
import type { SweepResult } from './replay-result.js';
import type { ReplayedPolicy } from './replayed-policy.js';
import type { RequestView } from './request-view.js';

/** The share of keys that a limit may touch and still count as harmless. */
const HARMLESS = 0.001;

/** A limit with several numbers. */
export interface Sweep extends Pick<SweepResult, 'policy' | 'limit' | 'tier' | 'current'> {
  /** The policy with each number, in rising order. */
  readonly variants: readonly { readonly quota: number; readonly policy: ReplayedPolicy }[];
}

/** Replays one policy with each number of a limit, each on a store of its own. */
export class SweepCounts {
  readonly #sweep: Sweep;
  readonly #view: RequestView;
  /** The number of the limit's key, and the keys that were seen if it is not that of the policy. */
  readonly #keyNumber: number;
  readonly #keys = new KeyCounts();
  readonly #points: { readonly quota: number; readonly chain: PolicyChain; requests: number; keys: KeyCounts }[];

  /** @param view - how the policy of the file sees requests: so does each variant, which has another number alone */
  constructor(sweep: Sweep, view: RequestView, maxKeys: number, startMs: number) {
    this.#sweep = sweep;
    const number = view.limits.indexOf(sweep.limit);
    const keyNumber = view.policy.keyOfLimit[number] as number;
    this.#view = view;
    this.#keyNumber = keyNumber;
    this.#points = sweep.variants.map(({ quota, policy }) => {
      const observe: DecisionObserver = (_policy, decision) => {
        const verdict = decision?.verdicts[number];
        if (!verdict || verdict.allowed) return;
        if (sweep.tier !== '' && policy.tierOf(verdict.limit) !== sweep.tier) return;
        point.requests += 1;
        point.keys.add(view.texts[keyNumber] as string);
      };
      const chain = new PolicyChain([view], { maxKeys, startMs, observe, policies: [policy] });
      const point = { quota, chain, requests: 0, keys: new KeyCounts() };
      return point;
    });
  }

  /** @param isKept - see `PolicyChain` */
  decide(request: LoggedRequest, atMs: number, isKept: boolean): void {
    if (this.#keyNumber !== 0) this.#keys.add(this.#view.texts[this.#keyNumber] ?? '');
    for (const { chain } of this.#points) chain.decide(request, atMs, isKept);
  }

  /** @param requests - those of the policy @param keysOfPolicy - how many keys the policy saw */
  result(requests: number, keysOfPolicy: number): SweepResult {
    const keys = this.#keyNumber === 0 ? keysOfPolicy : this.#keys.seen;
    const { policy, limit, tier, current } = this.#sweep;
    const points = this.#points.map((point) => ({
      quota: point.quota,
      requestsRefused: point.requests,
      keysRefused: point.keys.seen,
    }));
    const knee = points.find(({ keysRefused }) => keysRefused < HARMLESS * keys)?.quota;
    return { policy, limit, tier, current, requests, keys, points, knee };
  }

  close(): void {
    for (const { chain } of this.#points) chain.close();
  }
}

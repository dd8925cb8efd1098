import type { LoggedRequest } from '../log/logged-request.js';
import { KeyCounts } from './key-counts.js';
import { type DecisionObserver, PolicyChain } from './policy-chain.js';
import type { SweepResult } from './replay-result.js';
import type { ReplayedPolicy } from './replayed-policy.js';
import { RequestView } from './request-view.js';

/** The share of keys that a limit may touch and still count as harmless. */
const HARMLESS = 0.001;

/** A limit with several numbers. */
export interface Sweep extends Pick<SweepResult, 'policy' | 'limit' | 'tier' | 'current'> {
  /** The policy with each number, in rising order. */
  readonly variants: readonly { readonly quota: number; readonly policy: ReplayedPolicy }[];
}

/** Replays one policy with each number of a limit, each on a store of its own. */
export class SweepTally {
  readonly #sweep: Sweep;
  readonly #points: { readonly quota: number; readonly chain: PolicyChain; requests: number; keys: KeyCounts }[];

  constructor(sweep: Sweep, maxKeys: number, startMs: number) {
    this.#sweep = sweep;
    this.#points = sweep.variants.map(({ quota, policy }) => {
      const view = new RequestView(policy);
      const number = view.limits.indexOf(sweep.limit);
      const keyNumber = policy.keyOfLimit[number] as number;
      const observe: DecisionObserver = (_policy, decision) => {
        const verdict = decision?.verdicts[number];
        if (!verdict || verdict.allowed) return;
        if (sweep.tier !== '' && policy.tierOf(verdict.limit) !== sweep.tier) return;
        point.requests += 1;
        point.keys.add(view.texts[keyNumber] as string);
      };
      const chain = new PolicyChain([view], { maxKeys, startMs, observe });
      const point = { quota, chain, requests: 0, keys: new KeyCounts() };
      return point;
    });
  }

  decide(request: LoggedRequest, atMs: number): void {
    for (const { chain } of this.#points) chain.decide(request, atMs);
  }

  /** @param requests - those of the policy @param keys - those of the policy */
  result(requests: number, keys: number): SweepResult {
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

import type { Decision, Verdict } from '@sluice/core';
import { KeyCounts, MOST_LIMITS } from './key-counts.js';
import type { PolicyResult } from './replay-result.js';
import type { RequestView } from './request-view.js';
import { shownKey } from './shown-key.js';
import { TopKeys } from './top-keys.js';

/** How many keys are listed. */
const TOP = 20;

interface LimitRecorder {
  readonly limit: string;
  readonly tier: string;
  refused: number;
  wouldRefuse: number;
  keysRefused: number;
}

/** Adds up what one policy decided. */
export class PolicyRecorder {
  requests = 0;
  refused = 0;
  /** Of the refused requests: those refused for their sender. */
  senders = 0;
  readonly keys = new KeyCounts();
  readonly #view: RequestView;
  readonly #limits = new Map<string, LimitRecorder>();
  /** The keys that limits with a key of their own refused, by the number of the key and 32 limits together. */
  readonly #otherKeys = new Map<string, KeyCounts>();
  readonly #top = new TopKeys(TOP);

  constructor(view: RequestView) {
    this.#view = view;
    for (const { limit, tier } of view.policy.parts) this.#countsOf(limit, tier);
  }

  /** Adds a decision about the request that the view has turned to. */
  add(decision: Decision | undefined): void {
    this.requests += 1;
    const { keys, texts } = this.#view;
    const text = texts[0] as string;
    this.keys.add(text);
    if (decision?.allowed && !decision.shadowed) return;
    if (!decision?.allowed) {
      this.refused += 1;
      this.#top.refused(text, keys[0] ?? '', this.keys.addRefused());
    }
    if (decision) this.#addVerdicts(decision.verdicts);
    else this.senders += 1;
  }

  /** @param others - how many were refused in other readings of the log */
  result(others: readonly number[]): PolicyResult {
    const { requests, refused, senders, keys } = this;
    return {
      policy: this.#view.policy.name,
      requests: { seen: requests, refused, refusedRange: rangeOf(refused, others) },
      keys: { seen: keys.seen, refused: keys.refused },
      senders,
      isForAll: this.#view.policy.isForAll,
      limits: [...this.#limits.values()],
    };
  }

  /** The keys of which most requests were refused. */
  topKeys(): { key: string; policy: string; requests: number; refused: number }[] {
    const { name: policy } = this.#view.policy;
    return this.#top.keys.map(({ text, key, refused }) => ({
      key: shownKey(key),
      policy,
      requests: this.keys.requestsOf(text),
      refused,
    }));
  }

  #addVerdicts(verdicts: readonly Verdict[]): void {
    const { limits } = this.#view;
    for (const verdict of verdicts) {
      if (verdict.allowed) continue;
      const counts = this.#countsOf(verdict.name, this.#view.policy.tierOf(verdict.limit));
      if (verdict.shadow) counts.wouldRefuse += 1;
      else counts.refused += 1;
      if (this.#isNewKeyOf(limits.indexOf(verdict.name))) counts.keysRefused += 1;
    }
  }

  /** Whether a limit has refused the key of this request for the first time. */
  #isNewKeyOf(limit: number): boolean {
    const keyNumber = this.#view.policy.keyOfLimit[limit] as number;
    const group = Math.floor(limit / MOST_LIMITS);
    if (keyNumber === 0 && group === 0) return this.keys.isNewTo(limit);
    const id = `${keyNumber}.${group}`;
    const counts = this.#otherKeys.get(id) ?? new KeyCounts();
    this.#otherKeys.set(id, counts);
    counts.add(this.#view.texts[keyNumber] as string);
    return counts.isNewTo(limit % MOST_LIMITS);
  }

  #countsOf(limit: string, tier: string): LimitRecorder {
    const id = `${limit}\n${tier}`;
    const known = this.#limits.get(id);
    if (known) return known;
    const counts = { limit, tier, refused: 0, wouldRefuse: 0, keysRefused: 0 };
    this.#limits.set(id, counts);
    return counts;
  }
}

/** Returns the smallest and the largest of several readings; undefined if there is only one. */
export function rangeOf(
  refused: number,
  others: readonly number[],
): readonly [least: number, most: number] | undefined {
  return others.length === 0 ? undefined : [Math.min(refused, ...others), Math.max(refused, ...others)];
}

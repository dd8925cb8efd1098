import { type SluiceEvents, subscribe } from '@sluice/core';
import { itemNames } from '../compile/limit-item.js';
import type { Brake, PolicyRule } from '../file/policy-file.js';
import { KeyShare } from './key-share.js';

/**
 * A brake acts only if at least so many keys were refused: fewer may be a few customers with a problem of their own, or an
 * attack.
 */
const FEWEST_KEYS = 100;

/** A policy whose rollout is to be watched. */
export interface Trial {
  readonly rule: PolicyRule;
  /** Names this form of the policy: see `formOf`. */
  readonly form: string;
}

/** A policy that is watched. */
interface Watched {
  readonly form: string;
  readonly brake: Brake;
  /** The place of the limit whose keys are counted. */
  readonly verdictIndex: number;
  readonly keys: KeyShare;
}

/**
 * Watches the rollouts of policies that have a brake. It listens to decisions only while there is such a rollout, because a
 * listener makes every decision slower.
 */
export class BrakeWatch {
  readonly #act: (policy: string) => void;
  readonly #nowMs: () => number;
  readonly #watched = new Map<string, Watched>();
  #stop: (() => void) | undefined;

  /** @param act - called when a rollout refuses too large a share of keys */
  constructor(act: (policy: string) => void, nowMs: () => number) {
    this.#act = act;
    this.#nowMs = nowMs;
  }

  /** Watches these policies, and no others. What was seen of a policy that has not changed stays. */
  watch(trials: Iterable<Trial>): void {
    const known = new Map(this.#watched);
    this.#watched.clear();
    for (const trial of trials) {
      const { name } = trial.rule;
      const before = known.get(name);
      const next = before?.form === trial.form ? before : watchedOf(trial);
      if (next) this.#watched.set(name, next);
    }
    if (this.#watched.size === 0) this.close();
    else this.#stop ??= subscribe('sluice:decision', this.#note);
  }

  close(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  readonly #note = (message: SluiceEvents['sluice:decision']): void => {
    const { decision } = message;
    const watched = this.#watched.get(decision.policy);
    if (!watched || decision.source === 'allow' || decision.source === 'deny') return;
    const { brake, keys, verdictIndex } = watched;
    // A key that the rollout does not enforce yet says nothing about it.
    if (decision.verdicts[verdictIndex]?.shadow !== undefined) return;
    const key = message.keys[verdictIndex];
    if (key === undefined) return;
    keys.note(key, !decision.allowed, this.#nowMs());
    if (keys.refused >= FEWEST_KEYS && keys.share >= brake.refused) this.#act(decision.policy);
  };
}

/** Counts the keys of the first limit that has the key of the policy. */
function watchedOf({ rule: { brake, limits }, form }: Trial): Watched | undefined {
  if (!brake) return undefined;
  const index = Math.max(
    0,
    limits.findIndex(({ key }) => key === undefined),
  );
  const verdictIndex = limits.slice(0, index).flatMap(itemNames).length;
  return { form, brake, verdictIndex, keys: new KeyShare(brake.overMs) };
}

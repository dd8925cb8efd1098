import type { CallBegan } from '../fleet/observation.js';
import type { Life } from './conditions.js';
import type { LimitFacts, PolicyFacts } from './setup-facts.js';

/** What is known of the variants of policies, which replace each other: when each was in use, and which a process has put into force. */
export class Variants {
  /** Of each policy: when each variant was last in use. */
  readonly #usedMs: number[][];
  /** Of each life of a process: the variant of each policy that it put into force. */
  readonly #inForce = new Map<Life, number[]>();

  constructor(policies: readonly PolicyFacts[]) {
    this.#usedMs = policies.map(({ variants }) => variants.map(() => Number.NEGATIVE_INFINITY));
  }

  /** Notes that a process has put a variant into force. */
  replace(life: Life, { index }: PolicyFacts, variant: number): void {
    const variants = this.#inForce.get(life) ?? [];
    this.#inForce.set(life, variants);
    variants[index] = variant;
  }

  /** The variant that a process has put into force; undefined if it has replaced none. */
  inForce(life: Life, { index }: PolicyFacts): number | undefined {
    return this.#inForce.get(life)?.[index];
  }

  /** Notes that a variant was in use. */
  use({ index }: PolicyFacts, variant: number, atMs: number): void {
    const used = this.#usedMs[index] as number[];
    if (variant >= 0 && variant < used.length) used[variant] = Math.max(used[variant] as number, atMs);
  }

  /** Notes that a call was decided by its variant, or by the one that its process has put into force meanwhile. */
  useOf({ began, life }: { readonly began: CallBegan; readonly life: Life }, policy: PolicyFacts, atMs: number): void {
    this.use(policy, began.variant, atMs);
    const current = this.inForce(life, policy);
    if (current !== undefined) this.use(policy, current, atMs);
  }

  /** Returns the numbers of a limit that were in use since some moment, by any process. */
  usedSince(policy: PolicyFacts, name: string, sinceMs: number): readonly LimitFacts[] {
    const used = this.#usedMs[policy.index] as readonly number[];
    return policy.variants.flatMap((limits, i) => {
      if ((used[i] as number) < sinceMs) return [];
      return limits.filter((limit) => limit.name === name);
    });
  }

  /** Whether all processes have used one and the same variant of a policy, always. */
  isUnchanged(policy: PolicyFacts): boolean {
    const used = this.#usedMs[policy.index] as readonly number[];
    return used.filter((atMs) => atMs > Number.NEGATIVE_INFINITY).length <= 1;
  }
}

import { boundOf, createLimiter, type Limit, type Store } from '@sluice/core';
import type { ManualClock } from '@sluice/core/testing';
import { seededRandom } from './seeded-random.js';

/** The limit of the trials, and its parts. What they leave belongs to whoever comes first. */
const SHARES: Readonly<Record<string, number>> = { ann: 20, bob: 15, cas: 10, dan: 5 };
const TOTAL = 50;
export const WINDOW_MS = 1000;

/** The tenants of the trials, and one to whom nothing is guaranteed. */
const TENANTS = [...Object.keys(SHARES), 'eve'];

/** What an adversary found out. */
export interface Findings {
  /** The most units that were admitted in a window, as a part of the bound of that window. */
  readonly worst: number;
  /** Requests that were refused although they were within the part of their tenant. */
  readonly brokenPromises: number;
  /** Decisions that were made. */
  readonly decisions: number;
}

interface Admission {
  readonly atMs: number;
  readonly tenant: string;
  readonly units: number;
  readonly isGuaranteed: boolean;
}

/** What the trials vary. */
interface Trial {
  readonly limit: Limit;
  readonly lend: number;
  readonly seed: number;
  readonly steps: number;
  /** How much longer than a window a unit may count: a sub-window. */
  readonly graceMs: number;
}

/**
 * Plays an adversary against a limit with guaranteed parts. It floods the limit as one tenant, lets all tenants claim
 * their parts at once, or asks at random, and waits as long as suits it.
 */
export async function playAdversary(
  store: Store<boolean>,
  clock: ManualClock,
  { limit, lend, seed, steps, graceMs }: Trial,
): Promise<Findings> {
  const random = seededRandom(seed);
  const upTo = (most: number): number => Math.floor(random() * (most + 1));
  const limiter = createLimiter<string>({
    name: `adversary-${seed}`,
    limit,
    keyGenerator: () => 'all',
    lend,
    guarantee: { limit: (tenant) => SHARES[tenant] ?? 0, keyGenerator: (tenant) => tenant, total: TOTAL },
    store,
  });
  const log = new AdmissionLog(limit, lend, graceMs);

  const ask = async (tenant: string, units: number): Promise<boolean> => {
    const decision = await limiter.consume(tenant, { cost: units });
    log.add({
      atMs: clock.now(),
      tenant,
      units,
      isAllowed: decision.allowed,
      isGuaranteed: decision.verdicts[0]?.guaranteed === true,
    });
    return decision.allowed;
  };

  const moves: readonly (() => Promise<void>)[] = [
    async () => {
      const tenant = TENANTS[upTo(TENANTS.length - 1)] as string;
      const units = 1 + upTo(4);
      while (await ask(tenant, units));
    },
    async () => {
      for (const tenant of TENANTS) while (await ask(tenant, 1 + upTo(2)));
    },
    async () => {
      await ask(TENANTS[upTo(TENANTS.length - 1)] as string, 1 + upTo(9));
    },
    async () => clock.advance(upTo(random() < 0.3 ? WINDOW_MS : 60)),
  ];
  while (log.decisions < steps) await (moves[upTo(moves.length - 1)] as () => Promise<void>)();
  return log.findings();
}

/** Holds what was admitted to the bound and to the guarantees. */
class AdmissionLog {
  decisions = 0;
  #worst = 0;
  #brokenPromises = 0;
  readonly #admitted: Admission[] = [];
  readonly #spanMs: number;

  constructor(
    readonly limit: Limit,
    readonly lend: number,
    graceMs: number,
  ) {
    this.#spanMs = WINDOW_MS + graceMs;
  }

  add({ isAllowed, ...asked }: Admission & { readonly isAllowed: boolean }): void {
    this.decisions += 1;
    if (!isAllowed && this.#isPromised(asked)) this.#brokenPromises += 1;
    if (!isAllowed) return;
    this.#admitted.push(asked);
    this.#holdToBound(asked.atMs);
  }

  findings(): Findings {
    return { worst: this.#worst, brokenPromises: this.#brokenPromises, decisions: this.decisions };
  }

  /** Whether a tenant that has used so little cannot have used its part up, however its units are counted. */
  #isPromised({ tenant, units, atMs }: Admission): boolean {
    const used = this.#admitted
      .filter((one) => one.tenant === tenant && one.isGuaranteed && one.atMs > atMs - this.#spanMs)
      .reduce((sum, one) => sum + one.units, 0);
    return used + units <= (SHARES[tenant] ?? 0);
  }

  /** Holds every window that ends now to its bound. */
  #holdToBound(nowMs: number): void {
    let units = 0;
    for (let i = this.#admitted.length - 1; i >= 0; i -= 1) {
      const { atMs, units: own } = this.#admitted[i] as Admission;
      const windowMs = nowMs - atMs + 1;
      if (windowMs > 2 * WINDOW_MS) break;
      units += own;
      if (this.#admitted[i - 1]?.atMs === atMs) continue;
      const bound = boundOf(this.limit, windowMs, { guaranteed: TOTAL, lend: this.lend });
      this.#worst = Math.max(this.#worst, units / bound);
    }
  }
}

import { type Charge, type Correction, isCorrectedBy } from './charges.js';
import type { Knowledge } from './knowledge.js';

/** `retryStrategy: () => 50` (packages/redis/docs/setting-up.md). */
const RECONNECTS_AFTER_MS = 50;

/**
 * What is certain although nobody sees into the servers: a call that was answered while nothing went wrong was made, and nothing of it
 * is under way any more.
 */
export class Certainty {
  readonly #knowledge: Knowledge;

  constructor(knowledge: Knowledge) {
    this.#knowledge = knowledge;
  }

  /** Whether anything may have gone wrong about a charge until some moment. */
  isShaky({ lives, began }: Pick<Charge, 'lives' | 'began'>, untilMs: number): boolean {
    const { conditions, facts } = this.#knowledge;
    if (facts.store.isMemory) return false;
    if (!facts.keepsMessages) return true;
    for (const { process, endedMs } of lives) {
      if (endedMs <= untilMs || conditions.isTroubled(process, began.atMs, untilMs)) return true;
    }
    return false;
  }

  /**
   * Returns how often a call of a charge may have been made: "each time its connection breaks, ioredis may send a call again within the
   * deadline. Then it may be charged again" (packages/redis/docs/when-redis-fails.md).
   */
  mostSent(
    { beganMs }: Pick<Charge, 'beganMs'>,
    untilMs: number,
    timeoutMs = this.#knowledge.facts.store.timeoutMs,
  ): number {
    return 1 + Math.max(1, Math.ceil(Math.min(untilMs - beganMs, timeoutMs) / RECONNECTS_AFTER_MS));
  }

  /** Whether a correction was over for certain at some moment, made or not: nothing of it comes later. */
  isOver(charge: Charge, { call, answeredMs }: Correction, atMs: number): boolean {
    const { calls, conditions, facts } = this.#knowledge;
    // "A SyncedStore reports its units later."
    if (answeredMs >= atMs || !facts.isPrompt || facts.store.syncMs > 0 || this.isShaky(charge, answeredMs))
      return false;
    const life = calls.record(call)?.life;
    if (facts.store.isMemory) return true;
    return (
      life !== undefined &&
      life.endedMs > answeredMs &&
      !conditions.isTroubled(life.process, charge.beganMs, answeredMs)
    );
  }

  /**
   * Returns a correction that was made for certain before some moment: the charge cannot be corrected again. A reservation that ends by
   * itself has two turns, and servers that lost something, or whose clocks were set, may have forgotten the first one.
   */
  madeBefore(charge: Charge, atMs: number): Correction | undefined {
    const { conditions } = this.#knowledge;
    const { beganMs, state, source, mayRepeat } = charge;
    if (state !== 'admitted' || source !== 'store' || mayRepeat) return undefined;
    if (charge.expiries.some(({ expiresMs }) => Number.isFinite(expiresMs))) return undefined;
    if (conditions.losses(beganMs, atMs) > 0 || conditions.isClockSet(beganMs, atMs)) return undefined;
    return charge.corrections.find(
      (one) =>
        one.kind !== 'release' &&
        one.kind !== 'share' &&
        !one.mayBeLate &&
        isCorrectedBy(charge, one) &&
        this.isOver(charge, one, atMs),
    );
  }
}

import type { Observation } from '../../fleet/observation.js';
import { correctableMs } from '../charges.js';
import type { Knowledge } from '../knowledge.js';
import { TIMEOUTS_OF_A_LOST_CALL } from '../stated-times.js';
import type { Invariant, Violation } from '../violation.js';

/** A process at rest has a timer here and there: for its connection, for each store. None of them belongs to a key or a request. */
const MOST_TIMERS = 12;

/** Besides the states of its limits, a policy has lists of who is blocked: "`blocks`: the list of a policy's blocks; also :begun, :notes". */
const LISTS_OF_A_POLICY = 4;

const ALGORITHMS = 7;

/** "A probe tries to write every quarter of a second" (packages/postgres/docs/when-postgresql-fails.md). */
const PROBE_EVERY_MS = 250;

/**
 * "There is no timer per key" (README.md, What it promises). "No promise is left open, and no timer" (packages/core/docs/waiting.md). "Every
 * key has a time to live. It ends when the key would be fresh anyway" (packages/redis/docs/keys-and-calls.md). So nothing is left at rest but what
 * the documentation keeps longer: blocks by hand until their end, and buckets that never refill for `keepFor`.
 */
export class Bounded implements Invariant {
  readonly #knowledge: Knowledge;

  constructor(knowledge: Knowledge) {
    this.#knowledge = knowledge;
  }

  observe(observation: Observation): Violation | undefined {
    if (observation.kind !== 'rest') return undefined;
    const seen = (says: string): Violation => ({ invariant: 'bounded', atMs: observation.atMs, calls: [], says });
    const most = this.#mostKeys(observation.atMs);
    for (const { process, timers, heldKeys } of observation.processes) {
      if (timers > MOST_TIMERS) return seen(`Process ${process} has ${timers} timers at rest.`);
      if (heldKeys > most)
        return seen(`Process ${process} keeps ${heldKeys} keys at rest, and at most ${most} can still matter.`);
    }
    const keys = observation.servers.reduce((sum, server) => sum + server.keys, 0);
    const mostOfServers = most + this.#mostProbes();
    if (keys > mostOfServers)
      return seen(`${keys} keys are kept at rest, and at most ${mostOfServers} can still matter.`);
    return undefined;
  }

  /**
   * How many keys of probes there may be at a time, if a server is never fast enough. "A row is kept as long as it matters and at least ten
   * timeouts" (packages/postgres/docs/statements.md). In Redis they end within milliseconds.
   */
  #mostProbes(): number {
    const { setup, store } = this.#knowledge.facts;
    if (!store.hasTable) return 0;
    const keptMs = TIMEOUTS_OF_A_LOST_CALL * store.timeoutMs;
    return setup.processes.length * setup.servers.length * (Math.ceil(keptMs / PROBE_EVERY_MS) + 1);
  }

  /** How many keys may matter longer than the run. */
  #mostKeys(atMs: number): number {
    const { calls, conditions, facts } = this.#knowledge;
    // Times to live are times of the server: if its clock was set back, they last longer.
    if (conditions.hasSetClocks || facts.drift > 0) return Number.POSITIVE_INFINITY;
    const keptFor = facts.policies.map(({ variants }) =>
      Math.max(
        0,
        ...variants.flat().map(({ algorithm, rate, windowMs }) => (isQuota(algorithm, rate) ? 2 * windowMs : 0)),
      ),
    );
    let most = facts.policies.length * LISTS_OF_A_POLICY * facts.setup.servers.length;
    for (const { began, policy } of calls.all()) {
      if (!policy) continue;
      const isKept = began.atMs + (keptFor[policy.index] as number) > atMs;
      const limits = Math.max(...policy.variants.map((variant) => variant.length)) * policy.variants.length;
      const { step } = began;
      // "Under every algorithm." And "a row is kept as long as it matters, and at most twice as long" (packages/postgres/docs/statements.md).
      if (step.call === 'block' && began.atMs + 2 * step.forMs > atMs) most += ALGORITHMS * limits;
      // "The store remembers for that time that the charge was corrected", and once more after it has ended by itself.
      if (step.call === 'reserve' && step.id !== undefined && began.atMs + correctableMs(step) > atMs) most += 2;
      // Beside each key, the id of its correction. Whoever waits gives back each time that another node refuses, but "leaves only the ids of
      // its last minute" (packages/core/docs/sharding.md).
      if (isKept) most += 2 * limits;
    }
    return most;
  }
}

function isQuota(algorithm: string, rate: number): boolean {
  return algorithm === 'token-bucket' && rate === 0;
}

import type { CallBegan, CallEnded, DecisionSeen, Observation } from '../../fleet/observation.js';
import type { Knowledge } from '../knowledge.js';
import type { PolicyFacts } from '../setup-facts.js';
import type { Invariant, Violation } from '../violation.js';

/** A client that asks when it is told to. */
interface Client {
  readonly step: CallBegan['step'];
  /** Whether it, alone, uses its key. */
  isAlone: boolean;
  last: { readonly call: number; readonly atMs: number; readonly decision: DecisionSeen } | undefined;
  /** How much earlier than it was told it asks. */
  earlyMs: number;
  current: number;
}

/**
 * "A client that follows the header fields never gets a 429, if it alone uses its keys and all enforced limits of the policy are
 * advertised. This does not cover a key that you block by hand" (README.md, What it promises). Nor does it cover a leased or synced store:
 * "a client that follows the header fields of one process may be refused by another" (packages/core/docs/leasing.md).
 */
export class Obeying implements Invariant {
  readonly #knowledge: Knowledge;
  readonly #clients = new Map<string, Client>();
  readonly #applies: boolean;

  constructor(knowledge: Knowledge) {
    const { store, keepsMessages, setup } = knowledge.facts;
    this.#knowledge = knowledge;
    const isSlow = setup.servers.some(({ driftPpm }) => (driftPpm ?? 0) < 0);
    this.#applies = store.leaseMs === 0 && store.syncMs === 0 && keepsMessages && !isSlow;
  }

  observe(observation: Observation): Violation | undefined {
    if (!this.#applies) return undefined;
    if (observation.kind === 'call') this.#called(observation);
    return observation.kind === 'answer' ? this.#answered(observation) : undefined;
  }

  #called(began: CallBegan): void {
    const { step, atMs } = began;
    if (!('subject' in step) || step.call === 'peek') return;
    const id = `${began.policy} ${began.subject}`;
    let client = this.#clients.get(id);
    if (!client) {
      client = { step, isAlone: step.call === 'obey', last: undefined, earlyMs: 0, current: 0 };
      this.#clients.set(id, client);
    } else if (client.step !== step) {
      client.isAlone = false;
    }
    client.current = began.call;
    client.earlyMs = client.last ? client.last.atMs + toldMs(client.last.decision) - atMs : 0;
  }

  #answered({ call, atMs, outcome }: CallEnded): Violation | undefined {
    const { calls, conditions } = this.#knowledge;
    const record = calls.record(call);
    if (record?.began.step.call !== 'obey' || !record.policy) return undefined;
    const client = this.#clients.get(`${record.began.policy} ${record.began.subject}`);
    if (!client?.isAlone || client.current !== call || !('decision' in outcome)) return undefined;
    const { decision } = outcome;
    const { last, earlyMs } = client;
    client.last = { call, atMs, decision };
    if (decision.source !== 'store' || conditions.hasFaults || conditions.isResting(atMs)) client.isAlone = false;
    if (!client.isAlone || decision.allowed || !this.#isOwn(record.policy, record.began)) return undefined;
    if (!last || earlyMs > 0) return undefined;
    return {
      invariant: 'obeying',
      atMs,
      calls: [last.call, call],
      says: `A client alone with ${record.began.subject} of "${record.policy.name}" was refused ${(-earlyMs).toFixed(1)} ms after it was told to come again.`,
    };
  }

  /** Whether the client alone decides what its limits have left. */
  #isOwn(policy: PolicyFacts, { variant }: CallBegan): boolean {
    const limits = policy.variants[variant] ?? [];
    if (!this.#knowledge.calls.variants.isUnchanged(policy)) return false;
    return limits.every(({ setup, algorithm, isEnforced }) => {
      return !isEnforced || (setup.by === 'subject' && !setup.guarantee && algorithm !== 'concurrency');
    });
  }
}

/** Returns how long the answer tells its client to wait until the same request fits. */
function toldMs({ verdicts }: DecisionSeen): number {
  let most = 0;
  for (const { shadow, remaining, cost, allowed, retryAfterMs, resetAfterMs } of verdicts) {
    if (shadow) continue;
    const fits = allowed && remaining >= cost;
    const waitMs = fits || retryAfterMs !== 0 ? retryAfterMs : resetAfterMs;
    most = Math.max(most, waitMs === 'never' ? Number.POSITIVE_INFINITY : waitMs);
  }
  return most;
}

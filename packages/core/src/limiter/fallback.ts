import { shareOf } from '../algorithms/share.js';
import { edgedAt } from '../stores/edged-checks.js';
import type { Ask, ChangeReply, Check, Reply, Store, Target } from '../stores/store.js';
import { unitChecks } from '../stores/unit-checks.js';
import type { CalendarEdges } from '../values/calendar.js';
import type { Decision, Verdict } from '../values/decision.js';
import { isMistake } from '../values/error.js';
import { publish } from '../values/events.js';
import { getOrCreate } from '../values/get-or-create.js';
import type { Limit } from '../values/limit.js';
import { fallbackVerdict } from './decision-builder.js';
import type { Policy } from './policy/parse.js';
import type { NameClaim } from './policy/registry.js';
import { warnOfStore } from './store-warning.js';

/** An answer, by whom it was given, and what was charged where. */
export interface StoreOutcome {
  /** What was asked for, unlimited tiers included. */
  readonly ask: Ask;
  /** Those of its checks that were asked about; of a share of the limit, where a share stands in for it. */
  readonly checks: readonly Check[];
  /** In the order of `checks`. */
  readonly verdicts: readonly Verdict[];
  readonly source: Decision['source'];
  /** The store that was charged; undefined where none was. */
  readonly store: Store | undefined;
  readonly atMs: number;
  /** As in the store's reply. */
  readonly timesMs?: Reply['timesMs'];
}

/** Answers in a failed store's place, as `onStoreError` chose. */
export class Fallback {
  readonly #policy: string;
  readonly #choice: Policy<never>['onStoreError'];
  readonly #store: Store;
  readonly #claim: NameClaim;
  readonly #edges: CalendarEdges;
  readonly #shares = new WeakMap<Limit, Limit>();

  constructor(
    { name, onStoreError }: Pick<Policy<never>, 'name' | 'onStoreError'>,
    store: Store,
    claim: NameClaim,
    edges: CalendarEdges,
  ) {
    this.#policy = name;
    this.#choice = onStoreError;
    this.#store = store;
    this.#claim = claim;
    this.#edges = edges;
  }

  /** Forgets what was counted here in the store's place, if anything was: answers how many states. */
  reset(targets: readonly Target[]): number {
    return this.#claim.local?.reset(targets) ?? 0;
  }

  /** Answers what was asked, as far as `counted` by a store. */
  answer(ask: Ask, counted: readonly Check[], error: unknown): StoreOutcome {
    this.#tell(error);
    return this.#choice === 'local' ? this.#answerLocally(ask, counted) : this.#standIn(ask, counted, this.#choice);
  }

  /** Charges here what the failed store could not be told, so that the error is towards strict. */
  charge(changes: readonly Check[], error: unknown): void {
    this.#tell(error);
    const charges = changes.filter(({ cost }) => cost > 0);
    if (this.#choice === 'local' && charges.length > 0) this.#chargeLocally(charges);
  }

  /** The same, and says how the limits stand then: what was to be given back stays spent. */
  change(ask: Ask, changes: readonly Check[], error: unknown): StoreOutcome {
    this.#tell(error);
    if (this.#choice !== 'local') return this.#standIn(ask, unitChecks(changes), this.#choice);
    const charges = changes.map((check) => ({ ...check, cost: Math.max(0, check.cost) }));
    const { verdicts, atMs } = this.#chargeLocally(charges);
    return { ask, checks: changes, verdicts, source: 'local', store: undefined, atMs };
  }

  /** What an amount is charged as by a check of this instance's share. */
  chargeOf({ limit }: Check, amount: number): number {
    return this.#instances === 1 ? amount : Math.min(amount, limit.quota);
  }

  get #instances(): number {
    return this.#store.remote?.instances ?? 1;
  }

  /** Tells of a failure of the store; a mistake of the program is thrown. */
  #tell(error: unknown): void {
    if (isMistake(error)) throw error;
    publish('sluice:store-error', { error, policy: this.#policy, source: this.#choice });
    warnOfStore(this.#store, this.#policy, this.#choice, error);
  }

  #standIn(ask: Ask, checks: readonly Check[], source: 'allow' | 'deny'): StoreOutcome {
    const verdicts = checks.map((check) => fallbackVerdict(check, source));
    return { ask, checks, verdicts, source, store: undefined, atMs: 0 };
  }

  /** What is charged may be of a calendar's interval that is over: then it is charged in the one that is now. */
  #chargeLocally(charges: readonly Check[]): ChangeReply {
    const store = this.#claim.localStore(this.#store.clock);
    const checks = this.#shared(charges);
    const reply = store.adjust({ checks });
    if (reply.result !== 'outside-edges') return reply;
    return store.adjust({ checks: edgedAt(this.#edges, checks, reply.atMs) });
  }

  #answerLocally(ask: Ask, counted: readonly Check[]): StoreOutcome {
    const store = this.#claim.localStore(this.#store.clock);
    const checks = this.#shared(counted);
    const { verdicts, atMs } = store.consume({ ...ask, checks });
    return { ask, checks, verdicts, source: 'local', store, atMs };
  }

  /** The same checks against this instance's share; a cost above the share is charged as the whole share. */
  #shared(checks: readonly Check[]): readonly Check[] {
    const instances = this.#instances;
    if (instances === 1) return checks;
    return checks.map((check) => {
      const limit = getOrCreate(this.#shares, check.limit, () => shareOf(check.limit, instances));
      return {
        ...check,
        limit,
        cost: check.cost <= check.limit.quota ? Math.min(check.cost, limit.quota) : check.cost,
      };
    });
  }
}

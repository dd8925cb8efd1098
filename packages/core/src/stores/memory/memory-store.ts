import { DEFINITIONS } from '../../algorithms/definitions.js';
import { type Clock, clockOf } from '../../values/clock.js';
import type { Verdict } from '../../values/decision.js';
import { checkOneOf, checkOptions, checkWhole } from '../../values/option-checks.js';
import { areOutside, mostThatFits } from '../check-evaluation.js';
import { Keyspace } from '../keyspace.js';
import { verdictOf } from '../reply.js';
import type {
  Ask,
  Change,
  ChangeReply,
  ChangeResult,
  Check,
  Correction,
  Reply,
  SingleLimit,
  SingleLimitFastPath,
  Store,
  Target,
} from '../store.js';
import { tooLateError } from '../store-failure.js';
import { unitChecks } from '../unit-checks.js';
import { CheckContext, Evaluator } from './evaluate.js';
import { ExpiringMap } from './expiring-map.js';
import { MemoryFastPath } from './fast-path.js';
import { LimitNamespaces } from './limit-namespaces.js';
import { KeyTable } from './table/key-table.js';

/** How much a MemoryStore remembers, and by which clock. */
export interface MemoryStoreOptions {
  /** How many keys are remembered, each limit's counted: 1 to 16,000,000; default 100,000. */
  maxKeys?: number;
  /**
   * What a new key meets when all of them are taken. `'evict'` (default) forgets another: expired ones first, exhausted
   * and blocked ones last. `'refuse'` refuses the new one, to come back in a second, and charges it nothing, also by
   * `charge` and `settle`.
   */
  whenFull?: 'evict' | 'refuse';
  /** Default: the system's monotonic clock. */
  clock?: Clock;
}

const DAY_MS = 86_400_000;

const NO_OTHERS: readonly CheckContext[] = [];

/**
 * Counts in this process, answering at once. Bounded by `maxKeys`, with one timer for all keys, which keeps no process
 * alive.
 *
 * A key takes some 65 bytes under most limits. Its text is not kept but a fingerprint of 64 bits, by random numbers of
 * this store's own: among a million keys, any two are taken for one another with a chance of 3 in 100 million, and no
 * choice of keys makes it likelier.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example const limiter = createLimiter({ limit: 100, window: '1m', store: new MemoryStore({ maxKeys: 1_000_000 }) });
 */
export class MemoryStore implements Store<false> {
  readonly async = false;
  readonly clock: Clock;
  readonly supports = { atomicAcrossKeys: true } as const;
  readonly keyspaces: readonly [Keyspace] = [new Keyspace(this)];

  readonly #maxKeys: number;
  readonly #table: KeyTable;
  readonly #evaluator: Evaluator;
  readonly #namespaces: LimitNamespaces;
  /** One for each place in an Ask, used again by the next Ask. */
  readonly #contexts: CheckContext[] = [];
  /** Replies by the id of their ask, and ids of changes that were made. */
  readonly #replies: ExpiringMap<Reply>;
  readonly #changes: ExpiringMap<true>;

  constructor(options: MemoryStoreOptions = {}) {
    checkOptions(options, ['maxKeys', 'whenFull', 'clock']);
    this.#maxKeys = checkWhole(options.maxKeys ?? 100_000, 'maxKeys', 1, 16_000_000);
    const whenFull = checkOneOf(options.whenFull ?? 'evict', 'whenFull', ['evict', 'refuse'] as const);
    this.clock = clockOf(options.clock);
    this.#table = new KeyTable(this.#maxKeys, this.clock);
    this.#namespaces = new LimitNamespaces(this.#table);
    this.#evaluator = new Evaluator(this.#table, whenFull);
    this.#replies = new ExpiringMap(this.#maxKeys);
    this.#changes = new ExpiringMap(this.#maxKeys);
  }

  /** How many keys are remembered now. */
  get size(): number {
    return this.#table.size;
  }

  consume(ask: Ask): Reply {
    const nowMs = this.#table.now();
    if (ask.notAfterMs !== undefined && nowMs > ask.notAfterMs) {
      throw tooLateError(nowMs);
    }
    // Without `holdMs` an id is no sign of a repeat: a slot is renewed by the id that took it.
    const { id, holdMs } = ask;
    const isOnce = id !== undefined && holdMs !== undefined;
    const first = isOnce ? this.#replies.recall(id, nowMs) : undefined;
    if (first) return first;
    if (areOutside(ask.checks, nowMs)) {
      return { atMs: nowMs, allowed: false, verdicts: [], outsideEdges: true };
    }
    const reply = this.#decide(ask, nowMs);
    if (isOnce && !ask.peek) this.#replies.remember(id, reply, nowMs + holdMs, nowMs);
    return reply;
  }

  fastPath(limit: SingleLimit): SingleLimitFastPath | undefined {
    if (this.consume !== MemoryStore.prototype.consume) return undefined;
    return new MemoryFastPath(limit, this.#namespaces.ofLimit(limit), this.#table, this.#evaluator);
  }

  adjust(change: Change): ChangeReply {
    const nowMs = this.#table.now();
    const { checks, id, notAfterMs } = change;
    if (areOutside(checks, nowMs)) return { atMs: nowMs, result: 'outside-edges', verdicts: [] };
    const isLate = notAfterMs !== undefined && nowMs > notAfterMs;
    const isRepeated = !isLate && id !== undefined && this.#changes.recall(id, nowMs) !== undefined;
    if (!isLate && !isRepeated) return this.#correct(change, nowMs);
    const { verdicts } = this.#decide({ checks: unitChecks(checks), peek: true }, nowMs);
    return { atMs: nowMs, result: isLate ? 'expired' : 'repeated', verdicts };
  }

  reset(targets: readonly Target[]): number {
    const nowMs = this.#table.now();
    let forgotten = 0;
    for (const { policy, name, key } of targets) {
      for (const { algorithm } of DEFINITIONS) {
        const namespace = this.#namespaces.of(policy, name, algorithm);
        if (this.#table.forget(namespace, key, nowMs)) forgotten += 1;
      }
    }
    return forgotten;
  }

  close(): void {
    this.keyspaces[0].close();
    this.#table.close();
  }

  #decide(ask: Ask, nowMs: number): Reply {
    const { checks, atLeast } = ask;
    let allowed = true;
    for (let i = 0; i < checks.length; i += 1) {
      const context = this.#begin(checks[i] as Check, i, nowMs);
      this.#evaluator.evaluate(context, ask, this.#contexts, i);
      allowed &&= context.allowed || context.isShadow;
    }
    const taken = atLeast === undefined ? undefined : mostThatFits(this.#contexts.slice(0, checks.length));
    if (!ask.peek) this.#record(ask, allowed, taken);
    const verdicts = new Array<Verdict>(checks.length);
    for (let i = 0; i < checks.length; i += 1) verdicts[i] = verdictOf(checks[i] as Check, this.#contextAt(i));
    this.#evaluator.publishEvicted();
    return taken === undefined
      ? { atMs: nowMs, allowed, verdicts }
      : { atMs: nowMs, allowed, verdicts, taken: allowed ? taken : 0 };
  }

  /** Makes a correction that was not made before. */
  #correct({ checks, atMs, id }: Change, nowMs: number): ChangeReply {
    const verdicts = new Array<Verdict>(checks.length);
    let result: ChangeResult = 'expired';
    let keptMs = 0;
    for (let i = 0; i < checks.length; i += 1) {
      const check = checks[i] as Correction;
      const context = this.#begin(check, i, nowMs);
      this.#evaluator.read(context);
      const { limitState } = context;
      // Read before the change, too: a change that gives everything back leaves nothing to keep, and must not be repeated.
      keptMs = Math.max(keptMs, limitState.keptMs);
      // The checks before it in this change are written already, or never will be.
      const isChanged =
        this.#evaluator.hasRoomFor(context, NO_OTHERS, 0) && limitState.correct(check.cost, check.atMs ?? atMs, id);
      if (isChanged || limitState.isCorrected) this.#evaluator.write(context);
      if (isChanged) result = 'applied';
      keptMs = Math.max(keptMs, limitState.keptMs);
      verdicts[i] = this.#verdictOfOneUnit(check, context);
    }
    if (id !== undefined) this.#changes.remember(id, true, nowMs + Math.min(keptMs, DAY_MS), nowMs);
    this.#evaluator.publishEvicted();
    return { atMs: nowMs, result, verdicts };
  }

  /** How the limit of a check that was read stands with its key, as a peek at one unit would say it. */
  #verdictOfOneUnit(check: Check, context: CheckContext): Verdict {
    const cost = 1;
    context.cost = cost;
    this.#evaluator.judgeAmong(context, cost, undefined, NO_OTHERS, 0);
    return verdictOf({ ...check, cost }, context);
  }

  /** Makes the context of a place that of a check. */
  #begin(check: Check, place: number, nowMs: number): CheckContext {
    const context = this.#contextAt(place);
    context.beginIn(this.#namespaces.ofLimit(check, context.namespace), check, nowMs);
    return context;
  }

  #contextAt(place: number): CheckContext {
    this.#contexts[place] ??= new CheckContext();
    return this.#contexts[place];
  }

  /** Writes what an answer spends, or what a refusal leaves behind. */
  #record(ask: Ask, isAllowed: boolean, taken: number | undefined): void {
    // A renewal is no new request: each slot is renewed, or not, for itself.
    const maySpend = isAllowed || ask.renew === true;
    for (let i = 0; i < ask.checks.length; i += 1) {
      const context = this.#contextAt(i);
      this.#evaluator.recordIn(context, context.unitsFor(ask, maySpend, taken), maySpend, ask.id);
    }
  }
}

import { intervalAt } from '../../values/calendar.js';
import { type Clock, clockOf } from '../../values/clock.js';
import type { Verdict } from '../../values/decision.js';
import { checkOneOf, checkOptions, checkWhole } from '../../values/option-checks.js';
import { Keyspace } from '../keyspace.js';
import type { Ask, Change, ChangeReply, ChangeResult, Check, Correction, Reply, Store, Target } from '../store.js';
import { tooLateError } from '../store-failure.js';
import { unitChecks } from '../unit-checks.js';
import { Clerk } from './evaluate.js';
import { Recent } from './expiring-map.js';
import { Meter } from './fast-path.js';
import { offerMeters } from './fast-paths.js';
import { tellOfForgotten } from './forgotten.js';
import { mostThatFits, Question } from './table/check-context.js';
import { Ledger } from './table/key-table.js';

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

const NO_OTHERS: readonly Question[] = [];

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
  readonly #ledger: Ledger;
  readonly #clerk: Clerk;
  /** One for each place in an ask, used again by the next ask. */
  readonly #questions: Question[] = [];
  /** Replies by the id of their ask, and ids of changes that were made. */
  readonly #replies: Recent<Reply>;
  readonly #changes: Recent<true>;

  constructor(options: MemoryStoreOptions = {}) {
    checkOptions(options, ['maxKeys', 'whenFull', 'clock']);
    this.#maxKeys = checkWhole(options.maxKeys ?? 100_000, 'maxKeys', 1, 16_000_000);
    const whenFull = checkOneOf(options.whenFull ?? 'evict', 'whenFull', ['evict', 'refuse'] as const);
    this.clock = clockOf(options.clock);
    this.#ledger = new Ledger(this.#maxKeys, () => this.clock.now());
    this.#clerk = new Clerk(this.#ledger, whenFull);
    this.#replies = new Recent(this.#maxKeys);
    this.#changes = new Recent(this.#maxKeys);
    offerMeters(this, MemoryStore.prototype.consume, (metered) => {
      const question = new Question();
      question.askOf(this.#ledger.seriesOf(metered), metered.limit);
      return new Meter(question, this.#ledger, this.#clerk, this.clock);
    });
  }

  /** How many keys are remembered now. */
  get size(): number {
    return this.#ledger.size;
  }

  consume(ask: Ask): Reply {
    const nowMs = this.#open();
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
    if (isOnce && !ask.look) this.#replies.remember(id, reply, nowMs + holdMs, nowMs);
    return reply;
  }

  adjust(change: Change): ChangeReply {
    const nowMs = this.#open();
    const { checks, id, notAfterMs } = change;
    if (areOutside(checks, nowMs)) return { atMs: nowMs, result: 'outside-edges', verdicts: [] };
    const isLate = notAfterMs !== undefined && nowMs > notAfterMs;
    const isRepeated = !isLate && id !== undefined && this.#changes.recall(id, nowMs) !== undefined;
    if (!isLate && !isRepeated) return this.#correct(change, nowMs);
    const { verdicts } = this.#decide({ checks: unitChecks(checks), look: true }, nowMs);
    return { atMs: nowMs, result: isLate ? 'expired' : 'repeated', verdicts };
  }

  reset(targets: readonly Target[]): number {
    const nowMs = this.#open();
    let forgotten = 0;
    for (const target of targets) forgotten += this.#ledger.forget(target, nowMs);
    return forgotten;
  }

  close(): void {
    this.keyspaces[0].close();
    this.#ledger.close();
  }

  /** The time, while the store is open. */
  #open(): number {
    this.#ledger.checkOpen();
    return this.clock.now();
  }

  #decide(ask: Ask, nowMs: number): Reply {
    const { checks, atLeast } = ask;
    let allowed = true;
    for (let i = 0; i < checks.length; i += 1) {
      const question = this.#put(checks[i] as Check, i, nowMs);
      this.#clerk.ask(question, ask, this.#questions, i);
      allowed &&= question.allowed || question.isShadow;
    }
    const taken = atLeast === undefined ? undefined : mostThatFits(this.#questions.slice(0, checks.length));
    const forgotten = ask.look ? 0 : this.#record(ask, allowed, taken);
    const verdicts = new Array<Verdict>(checks.length);
    for (let i = 0; i < checks.length; i += 1) verdicts[i] = verdictOf(checks[i] as Check, this.#questionAt(i));
    // Listeners may ask this store in their turn, and then take the same questions.
    tellOfForgotten(forgotten);
    return taken === undefined
      ? { atMs: nowMs, allowed, verdicts }
      : { atMs: nowMs, allowed, verdicts, taken: allowed ? taken : 0 };
  }

  /** Makes a correction that was not made before. */
  #correct({ checks, atMs, id }: Change, nowMs: number): ChangeReply {
    const verdicts = new Array<Verdict>(checks.length);
    let result: ChangeResult = 'expired';
    let keptMs = 0;
    let forgotten = 0;
    for (let i = 0; i < checks.length; i += 1) {
      const check = checks[i] as Correction;
      const question = this.#put(check, i, nowMs);
      this.#ledger.read(question);
      const { standing } = question;
      // Taken before the change, too: what gives everything back leaves nothing to keep, and must not be made again.
      keptMs = Math.max(keptMs, standing.keptMs);
      // What stands before it in this change is written already, or never will be.
      const isChanged =
        this.#clerk.hasRoomFor(question, NO_OTHERS, 0) && standing.correct(check.cost, check.atMs ?? atMs, id);
      if (isChanged || standing.isMended) forgotten += this.#ledger.write(question);
      if (isChanged) result = 'applied';
      keptMs = Math.max(keptMs, standing.keptMs);
      verdicts[i] = this.#standingVerdict(check, i);
    }
    if (id !== undefined) this.#changes.remember(id, true, nowMs + Math.min(keptMs, DAY_MS), nowMs);
    tellOfForgotten(forgotten);
    return { atMs: nowMs, result, verdicts };
  }

  /** How the key of a check stands now that it was read, as a look at one unit would say it. */
  #standingVerdict(check: Check, place: number): Verdict {
    const cost = 1;
    const question = this.#questionAt(place);
    question.cost = cost;
    this.#clerk.judge(question, cost, undefined, NO_OTHERS, 0);
    return verdictOf({ ...check, cost }, question);
  }

  /** Puts a check to the question of its place. */
  #put(check: Check, place: number, nowMs: number): Question {
    const question = this.#questionAt(place);
    question.ask(check, this.#ledger.seriesOf(check, question.series), nowMs);
    return question;
  }

  #questionAt(place: number): Question {
    this.#questions[place] ??= new Question();
    return this.#questions[place];
  }

  /** Writes what an answer spends or a refusal leaves behind. Returns how many exhausted keys were forgotten for it. */
  #record({ checks, id, atLeast, renew }: Ask, isAllowed: boolean, taken: number | undefined): number {
    // A renewal is no new request: each slot is renewed, or not, for itself.
    const maySpend = isAllowed || renew === true;
    let forgotten = 0;
    for (let i = 0; i < checks.length; i += 1) {
      const question = this.#questionAt(i);
      const units = (maySpend && question.allowed ? taken : atLeast) ?? question.cost;
      forgotten += this.#clerk.record(question, units, maySpend, id);
    }
    return forgotten;
  }
}

function areOutside(checks: readonly Check[], nowMs: number): boolean {
  for (const { edgesMs } of checks) {
    if (edgesMs !== undefined && intervalAt(edgesMs, nowMs) === undefined) return true;
  }
  return false;
}

function verdictOf({ name, limit, cost, shadow }: Check, question: Question): Verdict {
  const { allowed, remaining, standing, retryAfterMs, delayMs } = question;
  const { used, resetAfterMs } = standing;
  const verdict = { name, limit, cost, allowed, remaining, used, resetAfterMs, retryAfterMs, delayMs };
  return shadow ? { ...verdict, shadow } : verdict;
}

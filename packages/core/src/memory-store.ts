import type { Algorithm } from './algorithms/index.js';
import { Standing } from './algorithms/standing.js';
import { intervalAt } from './calendar.js';
import { type Clock, clockOf } from './clock.js';
import { SluiceError } from './error.js';
import { publish } from './events.js';
import { Entry } from './memory/entry.js';
import { KeyTable } from './memory/key-table.js';
import { mostThatFits, type Question, verdictOf } from './memory/question.js';
import { Recent } from './memory/recent.js';
import { Retention } from './memory/retention.js';
import { checkOneOf, checkOptions, checkWhole } from './option-checks.js';
import type { Ask, Change, ChangeResult, Check, Reply, Store, Target } from './store.js';

/** How much a MemoryStore remembers, and by which clock. */
export interface MemoryStoreOptions {
  /** How many keys are remembered, each limit's counted: 1 to 16,000,000; default 100,000. */
  maxKeys?: number;
  /**
   * What a new key meets when all of them are taken. `'evict'` (default) forgets another: expired ones first, exhausted
   * and blocked ones last. `'refuse'` refuses the new one, to come back in a second.
   */
  whenFull?: 'evict' | 'refuse';
  /** Default: the system's monotonic clock. */
  clock?: Clock;
}

const DAY_MS = 86_400_000;

/**
 * Counts in this process, answering at once. Bounded by `maxKeys`, with one timer for all keys, which keeps no process
 * alive.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example const limiter = createLimiter({ limit: 100, window: '1m', store: new MemoryStore({ maxKeys: 1_000_000 }) });
 */
export class MemoryStore implements Store<false> {
  readonly async = false;
  readonly clock: Clock;
  readonly supports = { atomicAcrossKeys: true } as const;

  readonly #maxKeys: number;
  readonly #whenFull: 'evict' | 'refuse';
  readonly #entries = new KeyTable<Entry>();
  readonly #retention: Retention<Entry>;
  /** Replies by the id of their ask, and ids of changes that were made. */
  readonly #replies: Recent<Reply>;
  readonly #changes: Recent<true>;
  #isClosed = false;

  constructor(options: MemoryStoreOptions = {}) {
    checkOptions(options, ['maxKeys', 'whenFull', 'clock']);
    this.#maxKeys = checkWhole(options.maxKeys ?? 100_000, 'maxKeys', 1, 16_000_000);
    this.#whenFull = checkOneOf(options.whenFull ?? 'evict', 'whenFull', ['evict', 'refuse'] as const);
    this.clock = clockOf(options.clock);
    this.#retention = new Retention(
      () => this.clock.now(),
      (entry) => this.#entries.delete(entry.check, entry.check.limit.algorithm as Algorithm),
    );
    this.#replies = new Recent(this.#maxKeys);
    this.#changes = new Recent(this.#maxKeys);
  }

  /** How many keys are remembered now. */
  get size(): number {
    return this.#retention.size;
  }

  consume(ask: Ask): Reply {
    const nowMs = this.#open();
    if (ask.notAfterMs !== undefined && nowMs > ask.notAfterMs) {
      throw new SluiceError('SLUICE_STORE', 'the answer came after its deadline; nothing was charged');
    }
    // An ask that names no such time is no repeat: a slot is renewed by the id that took it.
    const heldId = ask.holdMs === undefined ? undefined : ask.id;
    const first = heldId === undefined ? undefined : this.#replies.recall(heldId, nowMs);
    if (first) return first;
    if (ask.checks.some((check) => isOutside(check, nowMs))) {
      return { atMs: nowMs, allowed: false, verdicts: [], outsideEdges: true };
    }
    const reply = this.#decide(ask, nowMs);
    if (heldId !== undefined && !ask.look) {
      this.#replies.remember(heldId, reply, nowMs + (ask.holdMs as number), nowMs);
    }
    return reply;
  }

  adjust({ checks, atMs, id, notAfterMs }: Change): ChangeResult {
    const nowMs = this.#open();
    if (notAfterMs !== undefined && nowMs > notAfterMs) return 'expired';
    if (id !== undefined && this.#changes.recall(id, nowMs)) return 'repeated';
    if (checks.some((check) => isOutside(check, nowMs))) return 'outside-edges';
    let keptMs = 0;
    let isApplied = false;
    for (const check of checks) {
      const entry = this.#entries.get(check);
      const standing = standingOf(check, entry, nowMs);
      // Of before, too: what gives everything back leaves nothing to keep, but must not be made again.
      keptMs = Math.max(keptMs, standing.keptMs);
      const isChanged = standing.correct(check.cost, atMs, id);
      if (isChanged || standing.isMended) this.#write(check, entry, standing, nowMs);
      isApplied ||= isChanged;
      keptMs = Math.max(keptMs, standing.keptMs);
    }
    if (id !== undefined) this.#changes.remember(id, true, nowMs + Math.min(keptMs, DAY_MS), nowMs);
    return isApplied ? 'applied' : 'expired';
  }

  reset(targets: readonly Target[]): void {
    this.#open();
    for (const target of targets) {
      for (const entry of this.#entries.all(target)) this.#forget(entry);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#retention.stop();
    this.#entries.clear();
  }

  #open(): number {
    if (this.#isClosed) throw new SluiceError('SLUICE_CLOSED', 'the store was closed');
    return this.clock.now();
  }

  #decide(ask: Ask, nowMs: number): Reply {
    // Of the length that it needs from the start; what is not there yet is a hole, which counting the questions passes over.
    const questions = new Array<Question>(ask.checks.length);
    ask.checks.forEach((check, i) => {
      questions[i] = this.#question(check, ask, nowMs, questions);
    });
    const allowed = questions.every(({ check, allowed }) => allowed || check.shadow);
    const taken = ask.atLeast === undefined ? undefined : mostThatFits(questions);
    if (!ask.look) {
      // A renewal is no new request: each slot is renewed, or not, for itself.
      for (const question of questions) this.#record(question, ask, allowed || ask.renew === true, taken, nowMs);
    }
    const verdicts = questions.map(verdictOf);
    return taken === undefined
      ? { atMs: nowMs, allowed, verdicts }
      : { atMs: nowMs, allowed, verdicts, taken: allowed ? taken : 0 };
  }

  #question(check: Check, { look, id, atLeast }: Ask, nowMs: number, before: readonly Question[]): Question {
    if (check.limit.algorithm === 'concurrency' && id === undefined && !look) {
      throw new SluiceError('SLUICE_VERB', `the concurrency limit ${check.name} needs an id that holds the slot`);
    }
    const entry = this.#entries.get(check);
    const standing = standingOf(check, entry, nowMs);
    const hasNoRoom = !entry && this.#whenFull === 'refuse' && !this.#hasRoomBeside(before, nowMs);
    const allowed = !hasNoRoom && standing.admits(atLeast ?? check.cost, id);
    return { check, entry, standing, allowed, delayMs: allowed ? standing.delayMs : 0, hasNoRoom };
  }

  /** Whether one more key has a place when those of the questions before it have theirs. */
  #hasRoomBeside(before: readonly Question[], nowMs: number): boolean {
    do {
      // Dropping an expired key may take the place of one that was asked about.
      const newKeys = before.filter(({ entry }) => !entry?.slot).length + 1;
      if (this.size + newKeys <= this.#maxKeys) return true;
    } while (this.#retention.dropExpired(nowMs));
    return false;
  }

  #record(question: Question, { id, atLeast }: Ask, allowed: boolean, taken: number | undefined, nowMs: number): void {
    const { check, entry, standing } = question;
    if (question.hasNoRoom) return;
    if (allowed && question.allowed) {
      if (standing.spend(taken ?? check.cost, id)) this.#write(check, entry, standing, nowMs);
    } else if (standing.refuse(atLeast ?? check.cost, !allowed)) {
      this.#write(check, entry, standing, nowMs);
    }
  }

  #write(check: Check, known: Entry | undefined, standing: Standing, nowMs: number): void {
    const keptMs = standing.keptMs;
    // Making room for another check of this ask may have dropped the entry meanwhile.
    const entry = known?.slot ? known : undefined;
    if (keptMs === 0) {
      if (entry) this.#forget(entry);
      return;
    }
    const written = entry ?? new Entry({ ...check, key: ownText(check.key) });
    standing.writeTo(written);
    written.expiresMs = nowMs + keptMs;
    written.exhaustedUntilMs =
      standing.remaining > 0 ? 0 : Math.min(written.expiresMs, nowMs + exhaustedForMs(standing));
    if (entry) this.#retention.moved(entry, nowMs);
    else this.#insert(written, nowMs);
  }

  #insert(entry: Entry, nowMs: number): void {
    if (this.size >= this.#maxKeys && this.#retention.evict(nowMs)) publish('sluice:forgot', { keys: 1 });
    this.#entries.set(entry.check, entry);
    this.#retention.add(entry, nowMs);
  }

  #forget(entry: Entry): void {
    this.#retention.remove(entry);
    this.#entries.delete(entry.check, entry.check.limit.algorithm as Algorithm);
  }
}

function isOutside({ edgesMs }: Check, nowMs: number): boolean {
  return edgesMs !== undefined && intervalAt(edgesMs, nowMs) === undefined;
}

function standingOf({ limit, edgesMs }: Check, entry: Entry | undefined, nowMs: number): Standing {
  return new Standing(limit, entry, nowMs, edgesMs && intervalAt(edgesMs, nowMs));
}

/** The same text, apart from a longer one (a header, an address) that it may be a part of and would keep alive as a whole. */
function ownText(text: string): string {
  return ` ${text}`.slice(1);
}

/** Until one unit is admitted; a key that never will be is exhausted as long as it is kept. */
function exhaustedForMs(standing: Standing): number {
  const untilMs = standing.untilMs(1);
  return untilMs === 'never' ? Number.POSITIVE_INFINITY : untilMs;
}

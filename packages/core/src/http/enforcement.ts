import type { Engine } from '../limiter/engine.js';
import { type Eventual, isPromise, recover, whenReady } from '../values/eventual.js';
import type { Chain } from './chain.js';
import { callDecisionHook } from './decision-hook.js';
import type { ExtraHeadersOf } from './extra-headers.js';
import type { HeaderItem } from './headers/item.js';
import { retryAfterSeconds } from './headers/retry-after.js';
import type { HeaderFields } from './headers/writer.js';
import { checkMessage, type HttpOptions } from './http-options.js';
import type { HttpGrantedReservation, HttpReservation } from './http-reservation.js';
import { customRefusal, quotaExceeded, REDUCED_CAPACITY, type Refusal } from './node/problem.js';
import type { Outcome } from './node/response-end.js';
import { warnOfHook } from './warnings.js';

type Args = readonly unknown[];

type Fields = Readonly<Record<string, string>>;

/** The decision about a request, and the steps that follow from it, in the order in which a middleware takes them. */
export interface Enforcement {
  /** The value of `req.rateLimit`; absent when no limit was asked, such as for an address on the deny list. */
  readonly reservation?: HttpReservation;
  /** How long the request has to wait for its turn: `turn` does the waiting. */
  readonly delayMs: number;
  /**
   * Call it once when the request has ended, however it did, also while another step is under way. It never fails. Absent
   * when nothing is left to do then.
   */
  finish?(outcome: Outcome): Promise<void>;
  /** The fields of `extraHeaders`, to be set before `headers`. If it fails, every policy has given back its charge. */
  extraHeaders?(): Eventual<Fields>;
  /** The fields that an outer policy set, and that do not hold any more: remove them before you set `headers`. */
  readonly outdated?: readonly string[];
  /** Set these on the response, whatever becomes of it. */
  readonly headers: Fields;
  /**
   * Present when the request is refused. Once the headers are set, it calls `onLimitReached` if a limit refused (and not the
   * store's failure, or the deny list). It resolves with the refusal to send, or with undefined if `isAnswered` says that the
   * hook, or somebody else meanwhile, has answered.
   */
  refuse?(isAnswered: () => boolean): Promise<Refusal | undefined>;
  /**
   * Present when the request has to wait. Resolves when it is the request's turn. Rejects with the signal's reason when the
   * client goes away, having given back what can be.
   */
  turn?(gone: AbortSignal): Promise<void>;
}

/** Refuses a request that no limit is asked about: its address is on the deny list, or it has no key. */
export function turnAway(chain: Chain, refusal: Refusal): Eventual<Enforcement> {
  return whenReady(chain.cancel(), () => ({
    headers: {},
    delayMs: 0,
    refuse: async (isAnswered) => (isAnswered() ? undefined : refusal),
  }));
}

/** Gives back what the policies of the chain have charged, and throws. */
export function giveUp(chain: Chain, error: unknown): Eventual<never> {
  return whenReady(chain.cancel(), () => {
    throw error;
  });
}

/** The parts of a policy that all its enforcements share. */
export interface Rules<A extends Args> {
  readonly options: HttpOptions<A>;
  readonly engine: Engine<A, HttpGrantedReservation>;
  readonly fieldsOf: HeaderFields;
  /** The names, in lower case, of all fields that the policy may send. */
  readonly names: ReadonlySet<string>;
  /** Whether it sends any fields besides those that say how long to wait. */
  readonly tellsOfLimits: boolean;
  /** The names of the fields in which a refusal says how long to wait. */
  readonly retryAfter: readonly string[];
  readonly extraHeaders: ExtraHeadersOf<A> | undefined;
}

/** Makes the enforcement of one request's decision. */
export class EnforcementBuilder<A extends Args> {
  readonly #rules: Rules<A>;
  readonly #reservation: HttpGrantedReservation & HttpReservation;
  readonly #chain: Chain;
  readonly #args: A;

  constructor(rules: Rules<A>, reservation: HttpGrantedReservation, chain: Chain, args: A) {
    reservation.chain = chain;
    this.#rules = rules;
    this.#reservation = reservation as HttpGrantedReservation & HttpReservation;
    this.#chain = chain;
    this.#args = args;
  }

  build(): Eventual<Enforcement> {
    const { options, extraHeaders, fieldsOf, names, tellsOfLimits } = this.#rules;
    const { allowed, source } = this.#reservation;
    if (options.onDecision) callDecisionHook(options, this.#args, this.#reservation);
    if (source === 'allow' || source === 'deny') {
      // No store has answered: there are no figures to tell, and no limit was reached.
      const own = allowed ? this.#admitted({}) : this.#refused(this.#waiting({}, 1), () => REDUCED_CAPACITY);
      return extraHeaders ? this.#adding(own, { extraHeaders: () => this.#extraHeaders(extraHeaders) }) : own;
    }
    const items = this.#chain.add(this.#reservation, tellsOfLimits);
    const fields = this.#chain.fields(fieldsOf, names);
    const { outdated } = this.#chain;
    const own = allowed ? this.#admitted(fields) : this.#limitReached(items, fields);
    if (!extraHeaders && !outdated) return own;
    return this.#adding(own, {
      ...(extraHeaders && { extraHeaders: () => this.#extraHeaders(extraHeaders) }),
      ...(outdated && { outdated }),
    });
  }

  #adding(own: Eventual<Enforcement>, further: Partial<Enforcement>): Eventual<Enforcement> {
    return whenReady(own, (own) => ({ ...own, ...further }));
  }

  /** What fails here has charged nothing, in no policy of the chain. */
  #extraHeaders(extraHeadersOf: ExtraHeadersOf<A>): Eventual<Fields> {
    return recover(
      () => extraHeadersOf(this.#args, this.#reservation),
      (error) => giveUp(this.#chain, error),
    );
  }

  #admitted(headers: Fields): Enforcement {
    const reservation = this.#reservation;
    const { delayMs, holdsSlot } = reservation;
    this.#chain.charged(reservation);
    const { skipFailedRequests, skipSuccessfulRequests } = this.#rules.options;
    if (delayMs === 0 && !holdsSlot && !skipFailedRequests && !skipSuccessfulRequests)
      return { reservation, headers, delayMs };
    return {
      reservation,
      headers,
      delayMs,
      ...(delayMs > 0 && { turn: this.#chain.turn((gone) => this.#rules.engine.store.clock.sleep(delayMs, gone)) }),
      ...((holdsSlot || skipFailedRequests || skipSuccessfulRequests) && {
        finish: (outcome) => this.#finish(outcome),
      }),
    };
  }

  /** Nobody is left to hear of what fails here but the process: a slot is freed all the same, and the charge stays. */
  async #finish(outcome: Outcome): Promise<void> {
    const reservation = this.#reservation;
    // A client that left before its turn has had nothing.
    if (this.#chain.isWaiting) return ignoringErrors(() => reservation.cancel());
    const isFree = recover(
      () => this.#isFree(outcome),
      (error) => {
        warnOfHook(this.#rules.options, 'requestWasSuccessful', 'after the response, so the charge stays', error);
        return false;
      },
    );
    const ended = reservation.holdsSlot ? this.#chain.work.ended(outcome.aborted) : undefined;
    if (ended === undefined && !isPromise(isFree))
      return ignoringErrors(() => (isFree ? reservation.cancel() : reservation.release()));
    // Neither waits for the other: units are given back though the handler goes on, and slots are freed though a hook does.
    await Promise.all([
      ignoringErrors(() => whenReady(isFree, (free) => (free ? reservation.cancelUnits() : undefined))),
      ended ? this.#releaseAfter(ended) : ignoringErrors(() => reservation.release()),
    ]);
  }

  /** Keeps the slots until the work has ended, but after the response no longer than a slot outlives a holder that died. */
  async #releaseAfter(ended: Promise<void>): Promise<void> {
    const reservation = this.#reservation;
    const over = new AbortController();
    const lapsed = async (): Promise<void> =>
      this.#rules.engine.store.clock.sleep(reservation.leaseMs as number, over.signal);
    await Promise.race([ended, lapsed().catch(() => {})]);
    over.abort();
    await ignoringErrors(() => reservation.release());
  }

  #isFree({ status, aborted, broken }: Outcome): Eventual<boolean> {
    const { skipFailedRequests = false, skipSuccessfulRequests = false, requestWasSuccessful } = this.#rules.options;
    if (!skipFailedRequests && !skipSuccessfulRequests) return false;
    // The handler sees to it; or what it did for a client that left can be called neither a success nor a failure.
    if (this.#reservation.isDeferred || aborted) return false;
    const isSuccessful = broken ? false : (requestWasSuccessful?.(...this.#args) ?? status < 400);
    return whenReady(isSuccessful, (successful) => (successful ? skipSuccessfulRequests : skipFailedRequests));
  }

  #limitReached(items: readonly HeaderItem[], fields: Fields): Eventual<Enforcement> {
    const seconds = retryAfterSeconds(items);
    const violated = items.filter(({ verdict }) => !verdict.allowed).map(({ name }) => name);
    const { onLimitReached, statusCode } = this.#rules.options;
    return this.#refused(
      this.#waiting(fields, seconds),
      () => quotaExceeded(violated, seconds, statusCode),
      onLimitReached,
    );
  }

  /** The fields of a refusal after which it helps to wait for so long. */
  #waiting(fields: Fields, seconds: number | undefined): Fields {
    if (seconds === undefined) return fields;
    const waiting = { ...fields };
    for (const name of this.#rules.retryAfter) waiting[name] = String(seconds);
    return waiting;
  }

  #refused(
    headers: Fields,
    problem: () => Refusal,
    onLimitReached?: HttpOptions<A>['onLimitReached'],
  ): Eventual<Enforcement> {
    const reservation = this.#reservation;
    const refuse = async (isAnswered: () => boolean): Promise<Refusal | undefined> => {
      if (onLimitReached) await onLimitReached(...this.#args, reservation);
      if (isAnswered()) return undefined;
      const refusal = await this.#refusal(problem);
      return isAnswered() ? undefined : refusal;
    };
    return whenReady(this.#chain.cancel(), () => ({ reservation, headers, delayMs: 0, refuse }));
  }

  async #refusal(problem: () => Refusal): Promise<Refusal> {
    const { message } = this.#rules.options;
    if (message === undefined) return problem();
    const content = typeof message === 'function' ? await message(...this.#args, this.#reservation) : message;
    return customRefusal(checkMessage(content, 'message()'), problem().status);
  }
}

/** A store that was closed meanwhile has nothing left to correct. */
async function ignoringErrors(attempt: () => Eventual<void>): Promise<void> {
  try {
    await attempt();
  } catch {}
}

import type { Engine } from '../limiter/engine.js';
import { allReady, type Eventual, isPromise, recover, whenReady } from '../values/eventual.js';
import type { Chain } from './chain.js';
import { callDecisionHook } from './decision-hook.js';
import type { Enforcement } from './enforcement.js';
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

/** The answer to a request that no limit is asked about: its address is on the deny list, or it has no key. */
export function turnAway(chain: Chain, refusal: Refusal): Eventual<Enforcement> {
  return whenReady(chain.cancel(), () => ({
    headers: {},
    delayMs: 0,
    refuse: (isAnswered) => (isAnswered() ? undefined : refusal),
  }));
}

/** What a policy's rulings have in common. */
export interface Rules<A extends Args> {
  readonly options: HttpOptions<A>;
  readonly engine: Engine<A, HttpGrantedReservation>;
  readonly fieldsOf: HeaderFields;
  /** The names, in lower case, of all fields that the policy may send. */
  readonly names: ReadonlySet<string>;
  /** Whether it sends any besides those that say how long to wait. */
  readonly tellsOfLimits: boolean;
  /** The names of the fields in which a refusal says how long to wait. */
  readonly retryAfter: readonly string[];
  readonly extraHeaders: ExtraHeadersOf<A> | undefined;
}

/** One request's decision, put into what the adapter does. */
export class EnforcementBuilder<A extends Args> {
  readonly #rules: Rules<A>;
  readonly #reservation: HttpGrantedReservation;
  readonly #chain: Chain;
  readonly #args: A;

  constructor(rules: Rules<A>, reservation: HttpGrantedReservation, chain: Chain, args: A) {
    reservation.chain = chain;
    this.#rules = rules;
    this.#reservation = reservation;
    this.#chain = chain;
    this.#args = args;
  }

  enforcement(): Eventual<Enforcement> {
    const enforcement = this.#ownEnforcement();
    return this.#rules.extraHeaders ? whenReady(enforcement, (own) => this.#withExtraHeaders(own)) : enforcement;
  }

  /** What fails here has charged nothing, in no policy of the chain. */
  #withExtraHeaders(own: Enforcement): Eventual<Enforcement> {
    return recover(
      () =>
        whenReady(this.#rules.extraHeaders?.(this.#args, this.#reservation), (extra) => ({
          ...own,
          headers: { ...extra, ...own.headers },
        })),
      (error) =>
        whenReady(this.#chain.cancel(), () => {
          throw error;
        }),
    );
  }

  #ownEnforcement(): Eventual<Enforcement> {
    const { options } = this.#rules;
    if (options.onDecision) callDecisionHook(options, this.#args, this.#reservation);
    const { allowed, source } = this.#reservation;
    if (source === 'allow' || source === 'deny') {
      // No store has answered: there are no figures to tell, and no limit was reached.
      return allowed ? this.#admitted({}) : this.#refused(this.#waiting({}, 1), () => REDUCED_CAPACITY);
    }
    const { fieldsOf, names, tellsOfLimits } = this.#rules;
    const items = this.#chain.add(this.#reservation, tellsOfLimits);
    const fields = this.#chain.fields(fieldsOf, names);
    const { outdated } = this.#chain;
    const enforcement = allowed ? this.#admitted(fields) : this.#limitReached(items, fields);
    return outdated ? whenReady(enforcement, (own) => ({ ...own, outdated })) : enforcement;
  }

  #admitted(headers: Record<string, string>): Enforcement {
    const reservation = this.#reservation as HttpGrantedReservation & HttpReservation;
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
  #finish(outcome: Outcome): Eventual<void> {
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
    const corrected = ignoringErrors(() => whenReady(isFree, (free) => (free ? reservation.cancelUnits() : undefined)));
    const freed = ended ? this.#releaseAfter(ended) : ignoringErrors(() => reservation.release());
    return whenReady(allReady([corrected, freed]), () => {});
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

  #limitReached(items: readonly HeaderItem[], fields: Record<string, string>): Eventual<Enforcement> {
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
  #waiting(fields: Record<string, string>, seconds: number | undefined): Record<string, string> {
    if (seconds === undefined) return fields;
    const waiting = { ...fields };
    for (const name of this.#rules.retryAfter) waiting[name] = String(seconds);
    return waiting;
  }

  #refused(
    headers: Record<string, string>,
    problem: () => Refusal,
    onLimitReached?: HttpOptions<A>['onLimitReached'],
  ): Eventual<Enforcement> {
    const refuse = (isAnswered: () => boolean): Eventual<Refusal | undefined> =>
      whenReady(onLimitReached?.(...this.#args, this.#reservation), () => {
        if (isAnswered()) return undefined;
        return whenReady(this.#refusal(problem), (refusal) => (isAnswered() ? undefined : refusal));
      });
    const reservation = this.#reservation as HttpReservation;
    return whenReady(this.#chain.cancel(), () => ({ reservation, headers, delayMs: 0, refuse }));
  }

  #refusal(problem: () => Refusal): Eventual<Refusal> {
    const { message } = this.#rules.options;
    if (message === undefined) return problem();
    const { status } = problem();
    return whenReady(typeof message === 'function' ? message(...this.#args, this.#reservation) : message, (content) =>
      customRefusal(checkMessage(content, 'message()'), status),
    );
  }
}

/** A store that was closed meanwhile has nothing left to correct. */
function ignoringErrors(attempt: () => Eventual<void>): Eventual<void> {
  return recover(attempt, () => {});
}

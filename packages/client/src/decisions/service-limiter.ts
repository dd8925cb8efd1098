// Why it is so: core/docs/why/decision-service.md

import { type Decision, type Reservation, SluiceError, systemClock } from '@sluice/core';
import { checkCost, OutsidePolicy, REQUEST_LIMITER, type RequestCall } from '@sluice/core/http';
import { checkOptions, isMistake, nextOperationId, optionError, stopwatchMs } from '@sluice/core/values';
import { type DecisionSubject, describedRequest } from './decision-subject.js';
import type { DecisionReserve, DecisionSpend, DecisionsLimiter } from './decisions-limiter.js';
import { type CheckedOptions, checkExpires } from './decisions-options.js';
import { LocalLimiter } from './local-limiter.js';
import { type Correct, remoteReservation } from './remote-reservation.js';
import { ServiceCaller } from './service-caller.js';
import { ServiceConnection } from './service-connection.js';

const ADMINISTRATION = 'ask the administration of the service';

/** Visible ASCII. */
const ID = /^[!-~]{1,128}$/;

/** How a call counts. */
interface Terms {
  readonly kind: 'consume' | 'peek' | 'reserve';
  readonly cost?: number | undefined;
  readonly id?: string | undefined;
  /** Milliseconds. */
  readonly expires?: number | undefined;
}

/** Asks a decision service. Made by `decisions`. */
export class ServiceLimiter implements DecisionsLimiter {
  readonly name: string;
  readonly wait = unsupported('wait', 'call reserve, and sleep for retryAfterMs');
  readonly refund = unsupported('refund', 'call reserve, and cancel or settle the reservation');
  readonly charge = unsupported('charge', 'call reserve, and settle the reservation');
  readonly correct = unsupported('correct', 'settle or cancel the reservation');
  readonly reset = unsupported('reset', ADMINISTRATION);
  readonly block = unsupported('block', ADMINISTRATION);
  readonly unblock = unsupported('unblock', ADMINISTRATION);
  readonly blocked = unsupported('blocked', ADMINISTRATION);
  readonly inspect = unsupported('inspect', ADMINISTRATION);
  /** For `rateLimit`. */
  readonly [REQUEST_LIMITER]: DecisionsLimiter[typeof REQUEST_LIMITER];

  readonly #options: CheckedOptions;
  readonly #policy: OutsidePolicy;
  readonly #caller: ServiceCaller;
  readonly #local: LocalLimiter | undefined;
  readonly #uncounted: Reservation;

  constructor(options: CheckedOptions) {
    const { url, policy, token, deadlineMs, local } = options;
    this.name = policy;
    this.#options = options;
    this.#policy = new OutsidePolicy(policy, systemClock);
    this.#local = local && new LocalLimiter(policy, local);
    this.#caller = new ServiceCaller(new ServiceConnection(url, token), policy, deadlineMs);
    this.#uncounted = remoteReservation(this.#policy.uncounted);
    this[REQUEST_LIMITER] = {
      clock: systemClock,
      uncounted: this.#uncounted,
      peek: async (call) => (await this.#decide(subjectOf(call), termsOf('peek', call))) ?? this.#uncounted,
      consume: async (call) => (await this.#decide(subjectOf(call), termsOf('consume', call))) ?? this.#uncounted,
      reserve: (call) => this.#decide(subjectOf(call), termsOf('reserve', call)),
    };
  }

  async consume(subject: DecisionSubject, options: DecisionSpend = {}): Promise<Decision> {
    checkOptions(options, ['cost', 'id']);
    return (await this.#decide(subject, termsOf('consume', options))) ?? this.#uncounted;
  }

  async peek(subject: DecisionSubject, options: Pick<DecisionSpend, 'cost'> = {}): Promise<Decision> {
    checkOptions(options, ['cost']);
    return (await this.#decide(subject, termsOf('peek', options))) ?? this.#uncounted;
  }

  async reserve(subject: DecisionSubject, options: DecisionReserve = {}): Promise<Reservation> {
    checkOptions(options, ['cost', 'id', 'expires']);
    const { expires } = options;
    const terms = { ...termsOf('reserve', options), ...(expires !== undefined && { expires: checkExpires(expires) }) };
    return (await this.#decide(subject, terms)) ?? this.#uncounted;
  }

  close(): Promise<void> {
    return this.#caller.close();
  }

  /** Decides; returns undefined if no limit is asked about the request. */
  async #decide(subject: DecisionSubject, terms: Terms): Promise<Reservation | undefined> {
    checkSubject(subject);
    const startMs = stopwatchMs();
    let answer: Awaited<ReturnType<ServiceCaller['decide']>>;
    try {
      answer = await this.#caller.decide(this.#textOf(subject, terms));
    } catch (error) {
      if (isMistake(error)) throw error;
      return this.#fallback(subject, terms, error, startMs);
    }
    if (answer.source === 'none') {
      if (answer.refusal) throw answer.refusal;
      return undefined;
    }
    if (answer.source === 'failed') throw this.#uncountable(answer);
    const decision = this.#policy.decisionOf(answer.verdicts, answer.source);
    if (terms.kind !== 'peek') this.#policy.record(decision, startMs);
    const { token } = answer;
    return remoteReservation(decision, token === undefined ? undefined : this.#correction(token));
  }

  /** Decides in place of the service. */
  async #fallback(
    subject: DecisionSubject,
    { kind, cost, id }: Terms,
    error: unknown,
    startMs: number,
  ): Promise<Reservation> {
    const { onStoreError } = this.#options;
    if (onStoreError === 'local') {
      const local = this.#local as LocalLimiter;
      const spend = { ...(cost !== undefined && { cost }), ...(id !== undefined && { id }) };
      if (kind === 'reserve') return (await local.reserve(subject, spend, error)) as Reservation;
      return remoteReservation(await local[kind](subject, spend, error));
    }
    const decision = this.#policy.fallback(onStoreError, cost ?? 1, error);
    if (kind !== 'peek') this.#policy.record(decision, startMs);
    return remoteReservation(decision);
  }

  /** A correction that fails is reported, and the charge stays. Only mistakes are thrown. */
  #correction(token: string): Correct {
    return async (verb, body) => {
      try {
        await this.#caller.correct(token, verb, body);
      } catch (error) {
        if (isMistake(error)) throw error;
        this.#policy.correctionFailed(error);
      }
    };
  }

  #textOf(subject: DecisionSubject, { kind, cost, id, expires = this.#options.expiresMs }: Terms): string {
    const { keys, tier } = subject;
    return JSON.stringify({
      policy: this.name,
      kind,
      request: describedRequest(subject, this.#options.headers),
      keys,
      tier,
      cost,
      id: kind === 'peek' ? undefined : (id ?? nextOperationId()),
      expires: kind === 'reserve' ? expires : undefined,
    });
  }

  /** The request has no key, for example. A service that refuses to count it must not let it pass. */
  #uncountable({ status, detail }: { readonly status: number; readonly detail: string }): SluiceError {
    const message = `the decision service cannot count this request by ${JSON.stringify(this.name)}: ${detail} (${status})`;
    return new SluiceError('SLUICE_KEY', message);
  }
}

/** @throws SluiceError `SLUICE_COST`, `SLUICE_OPTION` */
function termsOf(kind: Terms['kind'], { cost, id }: DecisionSpend): Terms {
  if (cost !== undefined) checkCost(cost);
  if (id !== undefined && (typeof id !== 'string' || !ID.test(id))) {
    throw optionError('id', 'must be 1 to 128 visible ASCII characters', id);
  }
  return { kind, cost, id };
}

/** The request of a framework is one already. */
function subjectOf({ request, keys, tier }: RequestCall): DecisionSubject {
  if (!keys && tier === undefined) return request;
  const { method, url, headers, ip } = request;
  const { originalUrl = url } = request as { readonly originalUrl?: string };
  return { method, url: originalUrl, headers, ip, ...(keys && { keys }), ...(tier !== undefined && { tier }) };
}

function checkSubject(subject: unknown): void {
  if (typeof subject === 'object' && subject !== null) return;
  const message = 'the decision service decides about requests: pass one with method, url, headers and ip';
  throw new SluiceError('SLUICE_KEY', message, { received: subject });
}

function unsupported(method: string, cure: string): () => never {
  return () => {
    throw new SluiceError('SLUICE_UNSUPPORTED', `${method} is not possible over the decision service: ${cure}`);
  };
}

import {
  createLimiter,
  type Decision,
  type Limiter,
  type PolicyOptions,
  type Reservation,
  SluiceError,
  type Store,
  systemClock,
} from '@sluice/core';
import { byIp, checkPolicy, type HttpRequest } from '@sluice/core/http';
import { checkObject, optionError, reasonOf } from '@sluice/core/values';
import type { DecisionSubject } from './decision-subject.js';

/** The request that the functions of `local` get. */
export type LocalRequest = HttpRequest & Pick<DecisionSubject, 'keys' | 'tier'>;

/** The limits by which this process counts while the service fails. Options about the name and the store are not possible. */
export type LocalLimits = PolicyOptions<[request: LocalRequest]> & {
  name?: never;
  store?: never;
  onStoreError?: never;
};

/** Options of a call. */
interface Spend {
  readonly cost?: number;
  /** The id that the caller gave it. This process remembers its operations by itself. */
  readonly id?: string;
}

/**
 * Counts in this process while the service fails. It is a limiter over a store that always fails, so all that follows a failed
 * store is what every policy does under `onStoreError: 'local'`: counters, events, warnings and decisions.
 */
export class LocalLimiter {
  readonly #store = new FailedStore();
  readonly #limiter: Limiter<LocalRequest>;

  /** @throws SluiceError `SLUICE_OPTION` */
  constructor(policy: string, limits: LocalLimits) {
    this.#limiter = inLocal(() => {
      checkLimits(limits);
      return createLimiter<LocalRequest>({ keyGenerator: byIp(), ...limits, name: policy, store: this.#store });
    });
  }

  async peek(subject: DecisionSubject, { cost }: Spend, error: unknown): Promise<Decision> {
    this.#store.error = error;
    return this.#limiter.peek(localRequest(subject), cost === undefined ? {} : { cost });
  }

  async consume(subject: DecisionSubject, spend: Spend, error: unknown): Promise<Decision> {
    this.#store.error = error;
    return this.#limiter.consume(localRequest(subject), spend);
  }

  async reserve(subject: DecisionSubject, spend: Spend, error: unknown): Promise<Reservation<boolean>> {
    this.#store.error = error;
    return this.#limiter.reserve(localRequest(subject), spend);
  }
}

/** The store in place of a service that has failed. Every ask fails for the same reason. */
class FailedStore implements Store<false> {
  readonly async = false;
  readonly clock = systemClock;
  readonly supports = { atomicAcrossKeys: true };
  error: unknown;

  consume(): never {
    throw this.error;
  }

  adjust(): never {
    throw this.error;
  }

  reset(): never {
    throw this.error;
  }

  close(): void {}
}

function localRequest({ method = 'GET', url = '/', headers = {}, ip, keys, tier }: DecisionSubject): LocalRequest {
  return { method, url, headers, ip, ...(keys && { keys }), ...(tier !== undefined && { tier }) };
}

/** @throws SluiceError `SLUICE_OPTION` */
function checkLimits(limits: LocalLimits): void {
  checkObject(limits, 'options');
  for (const option of ['name', 'store', 'onStoreError'] as const) {
    if (limits[option] !== undefined) throw optionError(option, 'is not possible here', limits[option]);
  }
  const slots = checkPolicy(limits).limits.find(({ algorithm }) => algorithm === 'concurrency');
  if (slots) throw optionError('limits', `must not have a concurrency limit, such as ${slots.name}`, limits);
}

/** Says in errors that the option is one of `local`. */
function inLocal<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error;
    const path = `local.${error.path ?? 'options'}`;
    const received = 'received' in error && { received: error.received };
    throw new SluiceError(error.code, `in local, ${reasonOf(error)}`, { path, ...received, cause: error });
  }
}

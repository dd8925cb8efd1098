import '@sluice/core/calendars';
import {
  concurrency,
  type Duration,
  everyone,
  fixedWindow,
  type Limit,
  type LimitItem,
  leakyBucket,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from '@sluice/core';
import { ALGORITHMS } from '@sluice/core/src/algorithms/definitions';
import type { HttpOptions } from '@sluice/http/options/options';
import type { Sender } from './arrivals.js';
import { CONSTRUCTOR_OF, isShared, plainOptionsOf, wordsOf } from './describe.js';
import type { LimitState, State } from './state.js';

/** A request of the traffic, as a framework would give it to the limiter. */
export interface PlayedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly ip: string;
  readonly sender: Sender;
}

type Args = [request: PlayedRequest];

const CONSTRUCTORS = {
  slidingWindow,
  slidingWindowLog,
  slidingWindowCounter,
  fixedWindow,
  tokenBucket,
  leakyBucket,
  concurrency,
} as const;

/** Makes the Limit of a form. It throws what the constructor throws. */
export function limitOf(form: LimitState, name?: string): Limit {
  // What a visitor types may have any form. The constructor checks it.
  const construct = CONSTRUCTORS[CONSTRUCTOR_OF[form.algorithm]] as (options: object) => Limit;
  return construct({ ...(name !== undefined && { name }), ...wordsOf(form) });
}

/** Names limits apart where several would have the same name. One limit needs none. */
export function namesOf(limits: readonly LimitState[]): (string | undefined)[] {
  const usual = limits.map((form) => {
    try {
      const limit = limitOf(form);
      return ALGORITHMS[limit.algorithm]?.defaultName(limit as never) ?? 'limit';
    } catch {
      return 'limit';
    }
  });
  return usual.map((name, i) => {
    const earlier = usual.slice(0, i).filter((other) => other === name).length;
    return earlier === 0 ? undefined : `${name}-${earlier + 1}`;
  });
}

function itemOf(form: LimitState, name: string | undefined, isBusy: () => boolean): LimitItem<Args, false> {
  return {
    limit: limitOf(form, name),
    ...(isShared(form) && { keyGenerator: everyone() }),
    ...plainOptionsOf(form),
    ...(form.elastic > 0 && { elastic: { upTo: form.elastic, while: calmUnless(isBusy) } }),
    ...(form.headroom > 0 && { headroom: { low: form.headroom / 100 } }),
    ...(form.part > 0 && {
      guarantee: { limit: form.part, keyGenerator: ({ ip }: PlayedRequest) => ip, total: form.parts },
    }),
    ...(form.part > 0 && form.lend > 0 && { lend: form.lend / 100 }),
  };
}

function calmUnless(isBusy: () => boolean): { readonly isCalm: boolean } {
  return {
    get isCalm() {
      return !isBusy();
    },
  };
}

/** Whether requests have other costs than 1, and a limit counts them. A slot is a slot. */
export function usesCosts({ limits }: State, senders: readonly Pick<Sender, 'cost'>[]): boolean {
  return senders.some(({ cost }) => cost !== 1) && limits.some(({ algorithm }) => algorithm !== 'concurrency');
}

/** Returns the most that a request costs. A log can have more clients than a call can have arguments. */
export const largestCostOf = (senders: readonly Pick<Sender, 'cost'>[]): number =>
  senders.reduce((most, { cost }) => Math.max(most, cost), 1);

/**
 * Makes the options of a policy: those that the visitor would give to `rateLimit`.
 *
 * @throws SluiceError as the constructors of the limits do
 */
export function optionsOf(state: State, senders: readonly Sender[], isBusy: () => boolean): HttpOptions<Args> {
  const names = namesOf(state.limits);
  const { fields, legacy, maxWait } = state;
  return {
    limits: state.limits.map((form, i) => itemOf(form, names[i], isBusy)),
    ...(usesCosts(state, senders) && { cost: ({ sender }: PlayedRequest) => sender.cost }),
    ...(state.limits.some(({ headroom }) => headroom > 0) && {
      priority: ({ sender }: PlayedRequest) => sender.priority,
    }),
    ...(maxWait !== '' && { maxWait: maxWait as Duration }),
    ...(fields !== 'draft-11' && { standardHeaders: fields }),
    ...(!legacy && { legacyHeaders: false }),
  };
}

import {
  type Clock,
  createLimiter,
  type Decision,
  type Limit,
  type Limiter,
  MemoryStore,
  tokenBucket,
  type Verdict,
} from '@sluice/core';
import { checkWhole } from '@sluice/core/values';
import { goDuration } from '../dialects/go-duration.js';
import type { Dialect } from './dialects/dialect.js';
import type { FakeRefusal } from './fake-answer.js';

/** What a call costs its key. */
interface Cost {
  readonly key: string;
  readonly tokens: number;
}

/** The limits of the fake provider. */
interface ProviderLimitOptions {
  readonly rpm?: number | Limit | undefined;
  readonly tpm?: number | Limit | undefined;
  readonly clock: Clock;
}

/** The result for one call: header fields for its answer, and the refusal if it is one. */
interface Admittance {
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal?: FakeRefusal;
}

/** Limits each API key, and states the limits in the vendor's header fields. */
export class ProviderLimits {
  readonly #clock: Clock;
  readonly #store: MemoryStore;
  readonly #limiter: Limiter<Cost, false> | undefined;

  constructor({ rpm, tpm, clock }: ProviderLimitOptions) {
    this.#clock = clock;
    this.#store = new MemoryStore({ clock });
    const limits = [
      ...(rpm === undefined ? [] : [{ name: 'requests', limit: bucketOf(rpm, 'rpm') }]),
      ...(tpm === undefined
        ? []
        : [{ name: 'tokens', limit: bucketOf(tpm, 'tpm'), cost: ({ tokens }: Cost) => tokens }]),
    ];
    if (limits.length === 0) return;
    this.#limiter = createLimiter({
      name: 'provider',
      store: this.#store,
      keyGenerator: ({ key }: Cost) => key,
      limits,
    });
  }

  admit(cost: Cost, vendor: Dialect['vendor']): Admittance {
    const decision = this.#limiter?.consume(cost);
    if (!decision) return { headers: {} };
    const headers = Object.assign({}, ...decision.verdicts.map((verdict) => this.#fieldsOf(verdict, vendor)));
    return decision.allowed ? { headers } : { headers, refusal: refusalOf(decision) };
  }

  close(): void {
    this.#store.close();
  }

  #fieldsOf({ name, limit, remaining, resetAfterMs }: Verdict, vendor: Dialect['vendor']): Record<string, string> {
    const resetMs = resetAfterMs === 'never' ? 0 : resetAfterMs;
    if (vendor === 'google' || vendor === 'aws') return {};
    if (vendor === 'openai')
      return {
        [`x-ratelimit-limit-${name}`]: String(limit.quota),
        [`x-ratelimit-remaining-${name}`]: String(remaining),
        [`x-ratelimit-reset-${name}`]: goDuration(resetMs),
      };
    return {
      [`anthropic-ratelimit-${name}-limit`]: String(limit.quota),
      [`anthropic-ratelimit-${name}-remaining`]: String(remaining),
      [`anthropic-ratelimit-${name}-reset`]: `${new Date(this.#clock.now() + resetMs + 999).toISOString().slice(0, 19)}Z`,
    };
  }
}

/** A number a minute is a bucket that refills continuously, as Anthropic documents its own. */
function bucketOf(limit: number | Limit, path: string): Limit {
  if (typeof limit === 'object') return limit;
  checkWhole(limit, path, 1);
  return tokenBucket({ capacity: limit, refillRate: limit / 60 });
}

function refusalOf({ tightest, retryAfterMs }: Decision): FakeRefusal {
  const message = `Rate limit reached for ${tightest.name} per min: limit ${tightest.limit.quota}, used ${tightest.used}, requested ${tightest.cost}.`;
  return { status: 429, message, ...(retryAfterMs !== 'never' && { retryAfterMs }) };
}

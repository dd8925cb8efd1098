import { show, warn } from '@sluice/core/values';
import type { CustomerRule, PolicyRule, TierRule } from '../file/policy-file.js';
import type { RequestReader } from './compile-context.js';
import { trustedHeader } from './request-value.js';

/** Returns the name of a request's tier; undefined if it has none. It may be a name that the file lacks. */
export type TierReader<Req extends object> = (request: Req) => string | undefined;

/** Returns the function that reads tiers from requests; undefined if the file gives them to customers. */
export function tierReader<Req extends object>(
  rule: TierRule,
  read: RequestReader<Req, string | undefined> | undefined,
): TierReader<Req> | undefined {
  if (rule.from === 'header') return trustedHeader(rule.header, rule.trustedFrom);
  return rule.from === 'code' ? read : undefined;
}

/** Chooses what holds for the tier of a request: that of the customer, else the one which the request has, else the default. */
export class TierChoice<Req extends object, T> {
  readonly #policy: string;
  readonly #read: TierReader<Req> | undefined;
  readonly #byTier: ReadonlyMap<string, T>;
  readonly #isOfCode: boolean;
  /** What holds for the default tier. */
  readonly usual: T;
  #hasWarned = false;

  constructor({ name, tier }: PolicyRule, read: TierReader<Req> | undefined, byTier: ReadonlyMap<string, T>, rest: T) {
    this.#policy = name;
    this.#read = read;
    this.#byTier = byTier;
    this.#isOfCode = tier?.from === 'code';
    this.usual = (tier?.default === undefined ? undefined : byTier.get(tier.default)) ?? rest;
  }

  of(request: Req, customer: CustomerRule | undefined): T {
    const own = customer?.tier;
    if (own !== undefined) return this.#byTier.get(own) ?? this.usual;
    const name = this.#read?.(request);
    if (name === undefined || name === null) return this.usual;
    return this.#byTier.get(name) ?? this.#unknown(name);
  }

  /** A header field may have any value. A function of the code that returns one is a mistake. */
  #unknown(name: unknown): T {
    if (this.#isOfCode && !this.#hasWarned) {
      this.#hasWarned = true;
      const what = `the function tiers[${JSON.stringify(this.#policy)}] returned ${show(name)}`;
      warn('SLUICE_HOOK_FAILED', `${what}, which is no tier of the policy file: the default tier is used`);
    }
    return this.usual;
  }
}

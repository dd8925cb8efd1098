import { type ExplainedLimit, explainPolicies, limitSummary, type PolicyFile, type PolicyRule } from '@sluice/config';
import { constantText } from '@sluice/core/http';
import { HEADERS, PROBLEM_SCHEMA, UNAVAILABLE, UNKNOWN_CUSTOMER } from './shared-components.js';

/** Which policies to describe, and when. */
interface LimitDocumentOptions {
  readonly nowMs: number;
  /** The name of one policy. Default: all. */
  readonly policy?: string;
  /** A customer, by the value of the key. Default: what holds for everybody. */
  readonly customer?: string;
}

/** A limit as the extension `x-ratelimit` states it. */
interface StatedLimit {
  readonly name: string;
  /** Whom it is for: `tier pro`; absent for everybody. */
  readonly for?: string;
  readonly quota: number;
  /** The unit, as `RateLimit-Policy` has it. */
  readonly unit: string;
  /** Absent if the limit has no window. */
  readonly windowSeconds?: number;
  readonly description: string;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Returns an OpenAPI 3.1 document with components alone: for each policy that refuses requests its response 429, and 401 and 503 if it
 * has them; the header fields; and the body. Customers, addresses and what is only counted are not in it, because it is published.
 */
export function limitDocument(file: PolicyFile, options: LimitDocumentOptions): Json {
  const explained = new Map(explainPolicies(file, options).map(({ policy, limits }) => [policy, limits]));
  const refusing =
    file.enforcement === 'on' ? [...file.policies.values()].filter(({ name }) => explained.has(name)) : [];
  const named = componentNames([...file.policies.keys()]);
  const responses = refusing.flatMap((policy) =>
    responsesOf(policy, (explained.get(policy.name) ?? []).filter(isPublic(options)), named.get(policy.name) as string),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Rate limits',
      version: '1',
      description:
        'The answers of an API to requests that its limits refuse. Refer to the responses from your operations.',
    },
    components: {
      responses: Object.fromEntries(responses),
      headers: HEADERS,
      schemas: { RateLimitProblem: PROBLEM_SCHEMA },
    },
  };
}

/** What is agreed with one customer is nobody else's business. */
function isPublic({ customer }: LimitDocumentOptions): (limit: ExplainedLimit) => boolean {
  return ({ group, limit }) =>
    limit.algorithm !== 'unlimited' && (customer !== undefined || !group.startsWith('customer '));
}

/** Nothing is refused by a limit that only counts, or only marks. */
const mayRefuse = (enforce: number | 'mark' | undefined): boolean => enforce !== 0 && enforce !== 'mark';

function responsesOf(policy: PolicyRule, explained: readonly ExplainedLimit[], component: string): [string, Json][] {
  const limits = explained.flatMap((limit): readonly StatedLimit[] => {
    const rule = policy.limits.find(({ name }) => name === limit.name);
    return rule && mayRefuse(rule.enforce)
      ? [statedLimit(limit, limitSummary(limit.limit, rule, policy), rule.quotaUnit)]
      : [];
  });
  if (!mayRefuse(policy.enforce) || limits.length === 0) return [];
  const responses: [string, Json][] = [[`${component}-429`, tooManyRequests(policy.name, limits)]];
  if (policy.unknownCustomer === 'refuse') responses.push([`${component}-401`, UNKNOWN_CUSTOMER]);
  if (policy.onStoreError === 'deny') responses.push([`${component}-503`, UNAVAILABLE]);
  return responses;
}

function statedLimit(
  { name, group, limit }: ExplainedLimit,
  summary: string,
  quotaUnit: string | undefined,
): StatedLimit {
  const text = textOf(name, limit, quotaUnit);
  const whom = group === 'everybody' || group.startsWith('customer ') ? undefined : group;
  return {
    name,
    ...(whom !== undefined && { for: whom }),
    quota: limit.quota,
    unit: text.unit,
    ...(text.windowSeconds !== undefined && { windowSeconds: text.windowSeconds }),
    description: summary,
  };
}

/** What header fields say of a limit. They are told from an allowed verdict with nothing used. */
function textOf(name: string, limit: ExplainedLimit['limit'], quotaUnit: string | undefined) {
  const unit = quotaUnit === undefined ? {} : { quotaUnit };
  return constantText({
    ...{ name, limit, cost: 1, allowed: true, remaining: limit.quota, used: 0 },
    ...{ resetAfterMs: 0, retryAfterMs: 0, delayMs: 0, ...unit },
  });
}

function tooManyRequests(policy: string, limits: readonly StatedLimit[]): Json {
  const lines = limits.map((limit) => `- ${limit.name}${limit.for ? `, ${limit.for}` : ''}: ${limit.description}`);
  const [first] = limits as [StatedLimit];
  return {
    description: `Too many requests for the limits of ${policy}:\n\n${lines.join('\n')}\n\nCome again after \`Retry-After\` seconds.`,
    headers: Object.fromEntries(
      Object.keys(HEADERS).map((field) => [field, { $ref: `#/components/headers/${field}` }]),
    ),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/RateLimitProblem' },
        example: {
          type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
          title: 'Quota Exceeded',
          status: 429,
          detail: 'Try again in 12 seconds.',
          'violated-policies': [first.name],
        },
      },
    },
    'x-ratelimit': { policy, limits },
  };
}

/** Returns the names of components, which have fewer characters than those of policies. No two are equal. */
function componentNames(policies: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  return new Map(
    policies.map((policy) => {
      const plain = policy.replace(/[^A-Za-z0-9._-]/g, '-');
      let name = plain;
      for (let count = 2; taken.has(name); count += 1) name = `${plain}-${count}`;
      taken.add(name);
      return [policy, name];
    }),
  );
}

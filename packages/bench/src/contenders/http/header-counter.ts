import type { Answer } from '../../answer.js';
import { blankAnswer } from '../../answer.js';
import type { Quota } from '../../contender.js';
import { bareMap } from '../memory/bare-map.js';

export interface Counted {
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: the request passes. */
  readonly refusal?: string;
}

/** A bare Map counter that tells clients, in the same header fields and the same body, what Sluice would. */
export async function headerCounter(quota: Quota): Promise<(key: string) => Counted> {
  const decider = await bareMap(quota);
  const answer: Answer = blankAnswer();
  const policy = `"default";q=${quota.limit};w=${quota.windowMs / 1_000}`;
  return (key) => {
    decider.decide(key, answer);
    const seconds = Math.ceil(Number(answer.resetMs) / 1_000);
    const headers = {
      'RateLimit-Policy': policy,
      RateLimit: `"default";r=${answer.remaining};t=${seconds}`,
      'X-RateLimit-Limit': `${answer.limit}`,
      'X-RateLimit-Remaining': `${answer.remaining}`,
      'X-RateLimit-Reset': `${seconds}`,
    };
    if (answer.allowed) return { headers };
    return {
      headers: {
        ...headers,
        'Retry-After': `${seconds}`,
        'Cache-Control': 'no-store',
        'Content-Type': 'application/problem+json',
      },
      refusal: `{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Quota Exceeded","status":429,"detail":"Try again in ${seconds} seconds.","violated-policies":["default"]}`,
    };
  };
}

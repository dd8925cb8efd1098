// Why it is so: core/docs/why/decision-service.md

import { type Caller, OPERATION_ID_FIELD } from './caller.js';
import { DescriptorCall } from './descriptor-call.js';
import type { Descriptor, RateLimitRequest } from './rate-limit-request.js';
import { RequestMistake, type RequestPath } from './request-mistake.js';

/** A descriptor, as a question to a policy. */
export interface PolicyAsk {
  readonly policy: string;
  readonly call: DescriptorCall;
}

/** More than any balancer sends, and few enough to ask all of them. */
export const MOST_DESCRIPTORS = 100;

/**
 * Returns what to ask which policy: one question for each descriptor, in their order.
 *
 * @throws RequestMistake
 */
export function policyAsks({ domain, descriptors, hitsAddend }: RateLimitRequest, caller: Caller): PolicyAsk[] {
  if (!domain) throw new RequestMistake(['domain'], 'must not be empty');
  if (descriptors.length === 0 || descriptors.length > MOST_DESCRIPTORS) {
    const rule = `must have 1 to ${MOST_DESCRIPTORS} descriptors, got ${descriptors.length}`;
    throw new RequestMistake(['descriptors'], rule);
  }
  checkOperationId(caller.operationId);
  // Without presence on the wire, 0 is the same as no number.
  const cost = hitsAddend ? unitsOf(hitsAddend, ['hits_addend']) : undefined;
  return descriptors.map((descriptor, i) => policyAsk(descriptor, i, { domain, cost, caller }));
}

/** The parts of a request that all of its descriptors share. */
interface Shared {
  readonly domain: string;
  readonly cost: number | undefined;
  readonly caller: Caller;
}

function policyAsk(descriptor: Descriptor, index: number, { domain, cost, caller }: Shared): PolicyAsk {
  const path: RequestPath = ['descriptors', index];
  if (descriptor.limit) {
    const rule = 'must be absent: the policy file has the limits. Remove the override from the rate limit action';
    throw new RequestMistake([...path, 'limit'], rule);
  }
  if (descriptor.isNegativeHits) {
    const rule = 'must be false: hits are not given back here. Settle a reservation of /v1/decisions instead';
    throw new RequestMistake([...path, 'is_negative_hits'], rule);
  }
  const own = descriptor.hitsAddend && unitsOf(descriptor.hitsAddend.value ?? 0, [...path, 'hits_addend']);
  const { operationId } = caller;
  const spend = {
    kind: 'consume',
    cost: own || cost,
    operationId: operationId === undefined ? undefined : operationIdOf(operationId, index),
  } as const;
  const call = new DescriptorCall(descriptor, path, own === 0 ? PEEK : spend, caller);
  return { policy: policyName(domain, call.policy), call };
}

/** No hits at all. It spends nothing, so a repeated one may look again. */
const PEEK = { kind: 'peek' } as const;

/** A domain that ends with a dot is the beginning of the names of its policies. */
function policyName(domain: string, policy: string | undefined): string {
  if (policy === undefined) return domain;
  return domain.endsWith('.') ? domain + policy : policy;
}

/** 1 to 128 visible characters. */
const OPERATION_ID = /^[!-~]{1,128}$/;

function checkOperationId(id: string | undefined): void {
  if (id === undefined || OPERATION_ID.test(id)) return;
  throw new RequestMistake([OPERATION_ID_FIELD], 'must be 1 to 128 visible ASCII characters');
}

/** Each descriptor is an operation of its own. */
function operationIdOf(id: string, index: number): string {
  return index === 0 ? id : `${id}/${index}`;
}

function unitsOf(value: number, path: RequestPath): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new RequestMistake(path, `must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`);
}

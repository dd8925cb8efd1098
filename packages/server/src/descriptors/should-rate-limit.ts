import { joinRequestPolicies, requestPoliciesOf } from '@sluice/core/http';
import { type Eventual, recover, show, whenReady } from '@sluice/core/values';
import type { Service, ServiceAnswer } from '../service/service.js';
import type { Caller } from './caller.js';
import { descriptorStatus, NOT_ASKED } from './descriptor-status.js';
import { type PolicyAsk, policyAsks } from './policy-ask.js';
import type { RateLimitRequest } from './rate-limit-request.js';
import { CODES, type HeaderValue, type MetadataValue, type RateLimitResponse } from './rate-limit-response.js';
import { RequestMistake } from './request-mistake.js';

/**
 * Decides about a request of Envoy. Its descriptors pass their policies one after the other, as a request passes a chain of
 * middlewares: if one is refused, those after it are not asked, and those before it get back what they were charged.
 *
 * @throws RequestMistake, and the errors of `Service.answer`; nothing is spent then
 */
export function shouldRateLimit(
  service: Service,
  request: RateLimitRequest,
  caller: Caller,
): Eventual<RateLimitResponse> {
  const asks = policyAsks(request, caller);
  asks.forEach((ask, i) => {
    checkKnown(service, ask, i);
  });
  return whenReady(answers(service, asks), (answered) => responseOf(asks, answered));
}

/** @throws RequestMistake if the file does not have the policy */
function checkKnown(service: Service, { policy }: PolicyAsk, index: number): void {
  if (service.has(policy)) return;
  const rule = `asks for the policy ${show(policy)}, which the policy file does not have`;
  throw new RequestMistake(['descriptors', index], rule, 'unknown-policy');
}

/** Asks until a policy refuses. */
function answers(service: Service, asks: readonly PolicyAsk[]): Eventual<readonly ServiceAnswer[]> {
  const [first, ...others] = asks as readonly [PolicyAsk, ...PolicyAsk[]];
  if (others.length === 0) return whenReady(service.answer(first.policy, first.call), (answer) => [answer]);
  const policies = requestPoliciesOf(first.call);
  policies.allowRepeats();
  for (const { call } of others) joinRequestPolicies(call, first.call);
  const answered: ServiceAnswer[] = [];
  const next = (index: number): Eventual<readonly ServiceAnswer[]> => {
    const ask = asks[index];
    if (!ask) return answered;
    // A new file may have removed it while an earlier one was asked.
    checkKnown(service, ask, index);
    return whenReady(service.answer(ask.policy, ask.call), (answer) => {
      answered.push(answer);
      if (answer.allowed) return next(index + 1);
      // A peek is not among the policies of the request, so the others are given back here.
      return whenReady(policies.cancel(), () => answered);
    });
  };
  return recover(
    () => next(0),
    // Where the policies could not give back themselves, because one of them went with a new file meanwhile.
    (error) =>
      whenReady(policies.cancel(), () => {
        throw error;
      }),
  );
}

function responseOf(asks: readonly PolicyAsk[], answered: readonly ServiceAnswer[]): RateLimitResponse {
  const { allowed, refusal } = answered.at(-1) as ServiceAnswer;
  const statuses = answered.map(descriptorStatus);
  while (statuses.length < asks.length) statuses.push(NOT_ASKED);
  return {
    overallCode: allowed ? CODES.OK : CODES.OVER_LIMIT,
    statuses,
    responseHeadersToAdd: fieldsOf(asks, answered),
    rawBody: refusal?.body,
    dynamicMetadata: metadataOf(answered),
  };
}

type Fields = readonly HeaderValue[];

/** The fields that a response has after all policies. */
function fieldsOf(asks: readonly PolicyAsk[], answered: readonly ServiceAnswer[]): Fields {
  let fields: Fields = [];
  answered.forEach((answer, i) => {
    const own = fieldsOfRaw(answer.rawHeaders);
    fields = asks[i]?.call.kind === 'peek' ? withPeek(fields, own, answer.allowed) : withLater(fields, own);
  });
  const refusal = answered.at(-1)?.refusal;
  return refusal ? joined(fields, fieldsOfRaw(Object.entries(refusal.headers).flat())) : fields;
}

/** @param raw - names and values in turn */
function fieldsOfRaw(raw: readonly string[]): Fields {
  const fields: HeaderValue[] = [];
  for (let i = 0; i < raw.length; i += 2) fields.push({ key: raw[i] as string, value: raw[i + 1] as string });
  return fields;
}

/** A policy that states limits states those of all policies before it, too. */
function withLater(earlier: Fields, own: Fields): Fields {
  return statesLimits(own) ? own : joined(earlier, own);
}

/** A peek states its own limits. They matter if it refuses, or if nothing else was asked. */
function withPeek(earlier: Fields, own: Fields, allowed: boolean): Fields {
  return allowed && statesLimits(earlier) ? earlier : own;
}

function statesLimits(fields: Fields): boolean {
  return fields.some(({ key }) => key === 'RateLimit');
}

/** The later value of a name counts. */
function joined(earlier: Fields, later: Fields): Fields {
  if (earlier.length === 0) return later;
  return [...earlier.filter(({ key }) => !later.some((other) => other.key === key)), ...later];
}

/** For other filters and access logs: the limits that would have refused if they were enforced, and a status that is not 429. */
function metadataOf(answered: readonly ServiceAnswer[]): Readonly<Record<string, MetadataValue>> | undefined {
  const shadowed = shadowedLimits(answered);
  const status = answered.at(-1)?.refusal?.status ?? 429;
  if (shadowed.length === 0 && status === 429) return undefined;
  return { ...(shadowed.length > 0 && { shadowed }), ...(status !== 429 && { status }) };
}

function shadowedLimits(answered: readonly ServiceAnswer[]): readonly string[] {
  const names: string[] = [];
  for (const { decision } of answered) {
    if (!decision?.shadowed) continue;
    const { policy, verdicts } = decision;
    for (const { name, shadow, allowed } of verdicts) if (shadow && !allowed) names.push(`${policy}:${name}`);
  }
  return names;
}

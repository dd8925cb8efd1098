// Why it is so: core/docs/why/decision-service.md

import type { LivePolicies } from '@sluice/config';
import type { Store } from '@sluice/core';
import {
  createEnforcer,
  type Enforcement,
  type Enforcer,
  type Host,
  type HttpReservation,
  type Refusal,
  requestPoliciesOf,
} from '@sluice/core/http';
import { type Eventual, whenReady } from '@sluice/core/values';
import type { Service, ServiceAnswer } from './service.js';
import type { ServiceCall } from './service-call.js';

/** The options of `createService`. */
interface ServiceParts {
  /** The policies. */
  readonly live: LivePolicies<ServiceCall>;
  /** The store that they count in. */
  readonly store: Store;
}

type ServiceEnforcer = Enforcer<[call: ServiceCall]>;
type ServiceEnforcement = Enforcement<[call: ServiceCall]>;

/** A call is the request. Which proxies are trusted is known before there is a call, so it has no `proxyTrust`. */
function hostOf(live: LivePolicies<ServiceCall>, policy: string): Host<[call: ServiceCall]> {
  return {
    requestOf: (call) => call,
    spendOf({ kind, cost, operationId, holdMs, correctableMs }) {
      const isPlain = kind === 'consume' && cost === undefined && operationId === undefined;
      if (isPlain) return undefined;
      // The policy itself takes the cost from the call, and keeps it between the least and the most of the file.
      const isOfCode = cost !== undefined && live.file.policies.get(policy)?.cost.from === 'code';
      return { kind, cost: isOfCode ? undefined : cost, operationId, holdMs, correctableMs };
    },
  };
}

/** The answer to a call that no limit was asked about. */
const NOT_COUNTED: ServiceAnswer = Object.freeze({
  allowed: true,
  headers: Object.freeze({}),
  rawHeaders: Object.freeze([]),
});

/** No handler answers a call before the service does. */
const isAnswered = (): boolean => false;

/**
 * Makes the service behind all protocols. It decides with the parts that middleware is made of, so that its fields and bodies are
 * those of `rateLimit(live.policy(name))`, to the byte.
 *
 * @example
 * const service = createService({ live: await policies({ source: fromFile('policies.yaml'), store }), store });
 * const { allowed, headers, refusal } = await service.answer('api', call);
 */
export function createService({ live, store }: ServiceParts): Service {
  const enforcers = new Map<string, ServiceEnforcer>();

  const enforcerOf = (policy: string): ServiceEnforcer => {
    const known = enforcers.get(policy);
    // For a policy that the file lacks, live policies throw.
    if (known && live.file.policies.has(policy)) return known;
    const made = createEnforcer<[call: ServiceCall]>(live.policy(policy), hostOf(live, policy));
    enforcers.set(policy, made);
    return made;
  };

  const answer = (policy: string, call: ServiceCall): Eventual<ServiceAnswer> => {
    const enforcement = enforcerOf(policy).enforce(call);
    return enforcement instanceof Promise ? enforcement.then(answerOf) : answerOf(enforcement);
  };

  /** A policy that fails gives back what others have charged. One that a new file has removed meanwhile cannot. */
  const enforcementBy = async (policy: string, call: ServiceCall): Promise<ServiceEnforcement | undefined> => {
    try {
      return await enforcerOf(policy).enforce(call);
    } catch (error) {
      await requestPoliciesOf(call).cancel();
      throw error;
    }
  };

  /** Each policy adds to the fields of those before it. The one that refuses gives back what they have charged. */
  const answerAll = async (policies: readonly string[], call: ServiceCall): Promise<ServiceAnswer> => {
    let last = NOT_COUNTED;
    let headers: Record<string, string> = {};
    for (const policy of policies) {
      const enforcement = await enforcementBy(policy, call);
      if (!enforcement) continue;
      for (const name of enforcement.outdated ?? []) delete headers[name];
      headers = { ...headers, ...enforcement.headers };
      const { allowed, decision, refusal } = await answerOf(enforcement);
      last = { allowed, decision, refusal, headers, rawHeaders: Object.entries(headers).flat() };
      if (!last.allowed) return last;
    }
    return last;
  };

  return {
    live,
    store,
    has: (policy) => live.file.policies.has(policy),
    handle: enforcerOf,
    answer,
    answerAll: (policies, call) =>
      policies.length === 1 ? answer(policies[0] as string, call) : answerAll(policies, call),
  };
}

/** The answer by one policy. Each protocol asks for the fields in one form, and only that one is made. */
class PolicyAnswer implements ServiceAnswer {
  readonly allowed: boolean;
  readonly decision: HttpReservation | undefined;
  readonly refusal: Refusal | undefined;
  readonly #enforcement: ServiceEnforcement;

  constructor(enforcement: ServiceEnforcement, refusal: Refusal | undefined) {
    this.allowed = enforcement.refuse === undefined;
    this.decision = enforcement.reservation;
    this.refusal = refusal;
    this.#enforcement = enforcement;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#enforcement.headers;
  }

  get rawHeaders(): readonly string[] {
    return this.#enforcement.rawHeaders;
  }
}

function answerOf(enforcement: ServiceEnforcement | undefined): Eventual<ServiceAnswer> {
  if (!enforcement) return NOT_COUNTED;
  return enforcement.refuse ? refusedBy(enforcement, enforcement.refuse) : new PolicyAnswer(enforcement, undefined);
}

function refusedBy(
  enforcement: ServiceEnforcement,
  refuse: NonNullable<ServiceEnforcement['refuse']>,
): Eventual<ServiceAnswer> {
  return whenReady(refuse(isAnswered), (refusal) => new PolicyAnswer(enforcement, refusal));
}

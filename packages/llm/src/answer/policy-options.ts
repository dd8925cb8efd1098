import type { Decision, Resolver } from '@sluice/core';
import { type Eventual, whenReady } from '@sluice/core/values';
import { publishDegraded } from '../events.js';
import { asNative } from '../request/as-native.js';
import type { CallRegistry } from '../request/call-registry.js';
import { type DecisionArguments, decisionOf } from '../request/callback-arguments.js';
import type { PlannedCall } from '../request/planned-call.js';
import type { Answers, ErrorForm } from './answers.js';

type Args = readonly unknown[];

type ByDecision<A extends Args, T> = Resolver<[...A, decision: Decision], T>;
type Content = Readonly<Record<string, unknown>>;

/** The options of a policy that decide how requests are answered. */
export interface AnswerOptions<A extends Args> {
  readonly statusCode: ByDecision<A, number>;
  readonly retryAfter: ByDecision<A, boolean>;
  /** Also notes the reservation of a request, so that `callOf` and `relay` find it. */
  readonly extraHeaders: ByDecision<A, Readonly<Record<string, string | number | undefined>>>;
  /** Present with `errors: 'problem'`. */
  readonly problem?: ByDecision<A, Content>;
  /** Present with other forms of errors. */
  readonly message?: ByDecision<A, Content>;
}

/** Returns the options that answer the requests of a policy. */
export function policyOptions<A extends Args>(
  answers: Answers,
  errors: ErrorForm,
  calls: CallRegistry,
): AnswerOptions<A> {
  const content = (params: DecisionArguments<A>): Eventual<Content> => {
    const decision = decisionOf(params);
    return withCall(calls, params, (call) =>
      errors === 'problem' ? answers.problem(decision, call?.call.model) : answers.body(errors, decision, call?.call),
    );
  };
  return {
    statusCode: (...params: DecisionArguments<A>) => answers.status(decisionOf(params)),
    retryAfter: (...params: DecisionArguments<A>) => answers.isTimed(decisionOf(params)),
    extraHeaders: (...params: DecisionArguments<A>) => {
      const decision = decisionOf(params);
      calls.decided(params[0], decision);
      return asNative(
        withCall(calls, params, (call) => ({
          ...answers.fields(decision, call?.call.format),
          ...modelField(decision, call),
        })),
      );
    },
    [errors === 'problem' ? 'problem' : 'message']: (...params: DecisionArguments<A>) => asNative(content(params)),
  };
}

/** Tells the client, and listeners, that a cheaper model answers. */
function modelField({ policy, allowed }: Decision, call: PlannedCall | undefined): Readonly<Record<string, string>> {
  if (!allowed || call?.degradedFrom === undefined) return {};
  const { model } = call.call;
  publishDegraded({ policy, from: call.degradedFrom, to: model });
  return { 'x-sluice-model': model };
}

function withCall<R>(
  calls: CallRegistry,
  params: readonly unknown[],
  use: (call: PlannedCall | undefined) => R,
): Eventual<R> {
  const call = calls.of(params[0]);
  return call === undefined ? use(undefined) : whenReady(call, use);
}

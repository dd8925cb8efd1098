import { type Duration, type Limiter, type Reservation, SluiceError } from '@sluice/core';
import { checkFunction, checkOneOf, checkOptions, optionError } from '@sluice/core/values';
import { APICallError } from 'ai';
import type { Llm } from '../llm.js';
import { endOfFailure } from '../meter/failed-call.js';
import type { Meter } from '../meter/meter.js';
import { lastDecided } from '../request/last-decided.js';
import { type AiCall, aiCall } from './ai-call.js';
import type { AiCallParams, AiModel, GeneratingModel, StreamingModel } from './call-params.js';
import { meteredParts } from './metered-parts.js';
import { cappedParams, ruledParams } from './prompt-body.js';
import { answerFields, refusalError } from './refusal-error.js';

/** The options of `limitMiddleware`. */
export interface LimitMiddlewareOptions<Context, Version extends 'v3' | 'v4'> {
  /** The limits, the prices and how calls are settled: `createLlm<[AiCall]>({ call: ({ body }) => body, plan, prices })`. */
  readonly llm: Pick<Llm<[AiCall<Context>]>, 'policy' | 'callOf' | 'meter'>;
  /** The limiter that decides, made with `limits: llm.policy.limits`. Its subjects are the calls. */
  readonly limiter: Pick<Limiter<AiCall<Context>>, 'name' | 'reserve' | 'wait'>;
  /** What the limiter's `keyGenerator` and the plan have to know of the caller, such as the user. Default: undefined. */
  readonly context?: Context;
  /** `'v4'` for version 7 of the `ai` package (default), `'v3'` for version 6. */
  readonly specificationVersion?: Version;
  /**
   * How long a call may wait for the limits, first come, first served. Default: it does not wait, and is refused at once. The
   * `ai` package then tries again by itself, up to its `maxRetries`.
   */
  readonly maxWait?: Duration;
}

/** A middleware for `wrapLanguageModel`. The `ai` package calls its functions. */
export interface LimitMiddleware<Version extends 'v3' | 'v4'> {
  readonly specificationVersion: Version;
  wrapGenerate<Result>(operation: {
    readonly doGenerate: () => PromiseLike<Result>;
    readonly params: AiCallParams;
    readonly model: GeneratingModel<Result>;
  }): Promise<Result>;
  wrapStream<Result extends { readonly stream: ReadableStream<unknown> }>(operation: {
    readonly doStream: () => PromiseLike<Result>;
    readonly params: AiCallParams;
    readonly model: StreamingModel<Result>;
  }): Promise<Result>;
}

const OPTIONS = ['llm', 'limiter', 'context', 'specificationVersion', 'maxWait'];

/**
 * Limits a model of the `ai` package. Each call is reserved before it is sent, and settled once when it ends: finished, broken,
 * aborted or refused. Retries of the `ai` package are calls of their own.
 *
 * A refusal is an `APICallError`. The `ai` package obeys its `retry-after-ms`, and does not retry where waiting does not help: a
 * budget that is used up, or a call that is larger than a limit.
 *
 * @throws SluiceError `SLUICE_OPTION` if an option is wrong
 * @example
 * const llm = createLlm<[AiCall<User>]>({ call: ({ body }) => body, plan: ({ context }) => PLANS[context.plan], prices });
 * const limiter = createLimiter<AiCall<User>>({ name: 'llm', limits: llm.policy.limits, keyGenerator: ({ context }) => context.id });
 * const model = wrapLanguageModel({ model: openai('gpt-5.6'), middleware: limitMiddleware({ llm, limiter, context: user }) });
 */
export function limitMiddleware<Context = undefined, Version extends 'v3' | 'v4' = 'v4'>(
  options: LimitMiddlewareOptions<Context, Version>,
): LimitMiddleware<Version> {
  checkMiddlewareOptions(options);
  const admit = admission(options);
  return {
    specificationVersion: (options.specificationVersion ?? 'v4') as Version,

    async wrapGenerate({ doGenerate, params, model }) {
      const { meter, sent } = await admit(model, params, false);
      const generate = sent === params ? doGenerate : () => model.doGenerate(sent);
      const result = await endingOnFailure(generate, meter, params);
      meter.read(result);
      await meter.end('complete');
      return result;
    },

    async wrapStream({ doStream, params, model }) {
      const { meter, sent } = await admit(model, params, true);
      const stream = sent === params ? doStream : () => model.doStream(sent);
      const result = await endingOnFailure(stream, meter, params);
      return Object.assign({}, result, { stream: meteredParts(result.stream, meter) });
    },
  };
}

/** A call that may be sent, and the options to send it with. */
interface Admitted {
  readonly meter: Meter;
  /** Those of the call, unless it holds a ceiling that it has not stated itself. */
  readonly sent: AiCallParams;
}

/** Returns the function that reserves a call, or throws its refusal. */
function admission<Context>({ llm, limiter, context, maxWait }: LimitMiddlewareOptions<Context, 'v3' | 'v4'>) {
  const { policy } = llm;

  const reserve = async (call: AiCall<Context>): Promise<Reservation<boolean>> => {
    if (maxWait === undefined) return limiter.reserve(call);
    const { abortSignal: signal } = call.params;
    return limiter.wait(call, { maxWait, ...(signal && { signal }) });
  };

  const admittedOf = (call: AiCall<Context>, reservation: Reservation<boolean>): Admitted => {
    const admitted = llm.callOf(call);
    if (admitted) {
      const sent = cappedParams(ruledParams(call.params, lastDecided(call)?.ruled ?? []), admitted.sentCap);
      return { meter: llm.meter(reservation, admitted.call), sent };
    }
    const problem = `the limiter ${JSON.stringify(limiter.name)} has no limits of this llm: make it with limits: llm.policy.limits`;
    throw new SluiceError('SLUICE_UNSUPPORTED', problem);
  };

  return async (model: AiModel, params: AiCallParams, isStream: boolean): Promise<Admitted> => {
    const call = aiCall(model, params, { isStream, context: context as Context });
    const reservation = await reserve(call);
    try {
      const fields = await answerFields(policy, call, reservation);
      if (reservation.allowed) return admittedOf(call, reservation);
      throw await refusalError(policy, call, { decision: reservation, fields });
    } catch (error) {
      await reservation.cancel();
      throw error;
    }
  };
}

/** Runs an operation of the model, and ends the call if it fails. */
async function endingOnFailure<Result>(
  operation: () => PromiseLike<Result>,
  meter: Meter,
  { abortSignal }: AiCallParams,
): Promise<Result> {
  // Models send nothing for a caller who left while the limits were asked.
  const hasLeft = abortSignal?.aborted;
  try {
    return await operation();
  } catch (error) {
    if (APICallError.isInstance(error)) meter.push(new TextEncoder().encode(error.responseBody));
    await meter.end(hasLeft ? 'unsent' : endOfFailure(error));
    throw error;
  }
}

function checkMiddlewareOptions<Context>(options: LimitMiddlewareOptions<Context, 'v3' | 'v4'>): void {
  checkOptions(options, OPTIONS);
  const { llm, limiter, specificationVersion } = options;
  if (typeof llm !== 'object' || llm === null) throw optionError('llm', 'must be made by createLlm', llm);
  if (typeof limiter !== 'object' || limiter === null) throw optionError('limiter', 'must be a limiter', limiter);
  checkFunction(llm.meter, 'llm.meter');
  checkFunction(limiter.reserve, 'limiter.reserve');
  if (specificationVersion !== undefined) checkOneOf(specificationVersion, 'specificationVersion', ['v3', 'v4']);
}

import type { Limiter, Reservation } from '@sluice/core';
import { optionError } from '@sluice/core/values';
import { publishDegraded } from '../events.js';
import { chooseModel } from '../request/model-choice.js';
import { checkModels } from './degrade.js';

/** The model that was reserved. */
export interface ReservedModel<Async extends boolean> {
  /** The first model that fits; the first of the list if none does. */
  readonly model: string;
  /** Whether it is not the first of the list. */
  readonly isDegraded: boolean;
  /** The reservation of that model. If none fits, it is the refusal of the first one, and nothing is spent. */
  readonly reservation: Reservation<Async>;
}

/**
 * Reserves a call for the first of several models that fits. Each is one atomic reservation, under the price and the limits of
 * that model. Refused ones have spent nothing.
 *
 * @param limiter - made with `limits: llm.policy.limits`
 * @param models - in order of preference; the body's own model does not count
 * @param call - the subject of the limiter: an object of its own for each call
 * @throws SluiceError `SLUICE_OPTION` if `models` is no list of names, or `call` is no object
 * @example
 * const limiter = createLimiter<Job>({ name: 'llm', store, limits: llm.policy.limits, keyGenerator: (job) => job.user });
 * const { model, reservation } = await reserveFirst(limiter, ['gpt-5.6', 'gpt-5.6-mini'], job);
 */
export async function reserveFirst<Subject extends object, Async extends boolean>(
  limiter: Limiter<Subject, Async>,
  models: readonly string[],
  call: Subject,
): Promise<ReservedModel<Async>> {
  const [first, ...others] = checkModels(models) as [string, ...string[]];
  if (typeof call !== 'object' || call === null) throw optionError('call', 'must be an object of its own', call);
  const reserve = async (model: string, tried: number): Promise<Reservation<Async>> => {
    chooseModel(call, { model, tried });
    return await limiter.reserve(call);
  };
  const refused = await reserve(first, 0);
  if (refused.allowed) return { model: first, isDegraded: false, reservation: refused };
  for (const [i, model] of others.entries()) {
    const reservation = await reserve(model, i + 1);
    if (!reservation.allowed) continue;
    publishDegraded({ policy: limiter.name, from: first, to: model });
    return { model, isDegraded: true, reservation };
  }
  return { model: first, isDegraded: false, reservation: refused };
}

import type { ServerResponse } from 'node:http';
import { type ChangeResult, type Charge, SluiceError } from '@sluice/core';
import { sendJson } from '../http/respond.js';
import type { RouteRequest } from '../http/route.js';
import { checkInput } from '../input/check-input.js';
import { jsonBody } from '../input/json-body.js';
import { inputProblem } from '../input/many-mistakes.js';
import type { Service } from '../service/service.js';
import type { ReservationTokens } from '../tokens/reservation-tokens.js';
import type { DecisionParts } from './decide.js';
import type { CorrectionAnswer } from './decision-answer.js';
import { cancelRequest, type SettleRequest, settleRequest } from './decision-request.js';

/** An amount for each limit of a policy is small. */
const MOST_BYTES = 16_384;

/** How the paths of reservations begin. The token and the verb follow. */
export const RESERVATIONS = '/v1/reservations/';

type Verb = 'settle' | 'cancel';

/**
 * Settles or cancels a reservation. Its token has all that is needed, so no instance remembers reservations.
 *
 * @throws InputProblem 400 for a wrong body, or a token that was altered; 404 for a token of another installation; 410 for one that
 * has expired. Nothing is changed then.
 */
export async function answerCorrection(
  request: RouteRequest,
  response: ServerResponse,
  { service, tokens }: DecisionParts,
): Promise<void> {
  const [token, verb] = readPath(request.rest);
  if (request.search !== '') throw inputProblem(400, [{ parameter: 'query', detail: 'must be empty' }]);
  const given = await jsonBody(request, MOST_BYTES);
  const body = given === undefined ? {} : given;
  const checked = verb === 'settle' ? checkInput(settleRequest, body) : checkInput(cancelRequest, body);
  if (checked.mistakes) throw inputProblem(400, checked.mistakes);
  const charge = readToken(token, tokens, service);
  const result = await correct(charge, verb === 'cancel' ? { cancel: true } : checked.value, service);
  const answer: CorrectionAnswer = { policy: charge.policy, result };
  sendJson(response, 200, answer);
}

/** @throws InputProblem 404 */
function readPath(rest: string): readonly [token: string, verb: Verb] {
  const slash = rest.indexOf('/');
  const verb = rest.slice(slash + 1);
  if (slash > 0 && (verb === 'settle' || verb === 'cancel')) return [rest.slice(0, slash), verb];
  throw inputProblem(404, [
    { parameter: 'path', detail: `must be ${RESERVATIONS}{token}/settle or ${RESERVATIONS}{token}/cancel` },
  ]);
}

/** @throws InputProblem 400 for a token that was altered; 404 for one of another installation, or of a policy that is gone */
function readToken(token: string, tokens: ReservationTokens, service: Service): Charge {
  const { charge, wrong } = tokens.read(token);
  if (wrong === 'altered') throw wrongToken(400, 'is no token of a reservation, or was altered');
  if (!charge) throw wrongToken(404, 'was not made here: no secret of this service signed it');
  if (!service.has(charge.policy)) throw wrongToken(404, 'is of a policy that the file does not have any more');
  return charge;
}

async function correct(
  charge: Charge,
  how: SettleRequest | { readonly cancel: true },
  service: Service,
): Promise<'applied' | 'repeated'> {
  const result = await corrected(charge, how, service);
  if (result === 'applied' || result === 'repeated') return result;
  throw wrongToken(410, 'has expired: its charge stays as it is');
}

async function corrected(
  charge: Charge,
  how: SettleRequest | { readonly cancel: true },
  service: Service,
): Promise<ChangeResult> {
  try {
    return await service.handle(charge.policy).correct(charge, how);
  } catch (error) {
    throw problemOf(error);
  }
}

/** Returns the problem of a correction that the caller has got wrong; any other error as it is. */
function problemOf(error: unknown): unknown {
  if (!(error instanceof SluiceError)) return error;
  switch (error.code) {
    case 'SLUICE_UNSUPPORTED':
      return wrongToken(404, 'is of another process, which counts by itself');
    case 'SLUICE_OPTION':
    case 'SLUICE_COST':
      return inputProblem(400, [{ pointer: '/actual', detail: `cannot be settled: ${error.message}` }], {
        cause: error,
      });
    default:
      return error;
  }
}

function wrongToken(status: 400 | 404 | 410, detail: string): Error {
  return inputProblem(status, [{ parameter: 'token', detail }]);
}

import { chargeOf, SluiceError } from '@sluice/core';
import type { Refusal } from '@sluice/core/http';
import { durationMs } from '@sluice/core/values';
import { InputProblem } from '../http/input-problem.js';
import { type Place, pointerOf } from '../input/check-input.js';
import { inputProblem } from '../input/many-mistakes.js';
import type { Service, ServiceAnswer } from '../service/service.js';
import type { ReservationTokens } from '../tokens/reservation-tokens.js';
import type { DecisionAnswer, FailedDecision } from './decision-answer.js';
import type { DecisionRequest } from './decision-request.js';
import { type Connection, describedCall } from './described-call.js';
import { unknownKeys } from './read-decisions.js';

/** The parts of the service that decisions use. */
export interface DecisionParts {
  readonly service: Service;
  /** Makes the tokens of reservations. */
  readonly tokens: ReservationTokens;
}

/** A decision, and what a middleware would have answered in its place. */
interface MadeDecision {
  readonly answer: DecisionAnswer;
  readonly refusal: Refusal | undefined;
}

/**
 * Decides about one request. The store is asked before the first wait, so requests that are decided without a wait between them are
 * decided in that order.
 *
 * @param socket - the connection of the caller
 * @param place - where the request is in the body
 * @throws InputProblem 404 for a policy that the file does not have; 400 for a request that the policy cannot count. Nothing is spent.
 */
export async function decide(
  request: DecisionRequest,
  { service, tokens }: DecisionParts,
  socket: Connection,
  place: Place = [],
): Promise<MadeDecision> {
  const { policy, kind, expires } = request;
  const { live } = service;
  if (!service.has(policy)) {
    throw inputProblem(404, [{ pointer: pointerOf([...place, 'policy']), detail: 'is no policy of the file' }]);
  }
  const unknown = unknownKeys(request, live.file, place);
  if (unknown.length > 0) throw inputProblem(400, unknown);
  const { revision } = live;
  const answer = await answerTo(request, service, socket, place);
  const charge =
    kind === 'reserve' && answer.decision && chargeOf(answer.decision, { expires: durationMs(expires, 'expires') });
  const { refusal } = answer;
  return {
    answer: {
      ...decisionOf(answer, policy, revision),
      ...(charge && { reservation: { token: tokens.tokenOf(charge), expiresInMs: charge.untilMs - charge.atMs } }),
    },
    refusal,
  };
}

/**
 * How many requests of a list are with the store at once. The store has a deadline for each of them, which a longer list would pass
 * by its own length: its last requests would be decided as if the store had failed.
 */
const MOST_AT_ONCE = 50;

/** Decides about each request of a list, in its order. One that cannot be decided does not stop the others. */
export async function decideAll(
  requests: readonly DecisionRequest[],
  parts: DecisionParts,
  socket: Connection,
): Promise<readonly (DecisionAnswer | FailedDecision)[]> {
  const answers: (DecisionAnswer | FailedDecision)[] = [];
  while (answers.length < requests.length) {
    const first = answers.length;
    const next = requests.slice(first, first + MOST_AT_ONCE);
    answers.push(
      ...(await Promise.all(
        next.map((request, i) =>
          decide(request, parts, socket, [first + i]).then(
            ({ answer }) => answer,
            (error) => failedDecision(request, error),
          ),
        ),
      )),
    );
  }
  return answers;
}

/** Only requests fail in this way. Everything else is a mistake of the program, and fails the whole call. */
function failedDecision({ policy }: DecisionRequest, error: unknown): FailedDecision {
  if (error instanceof InputProblem) return { policy, error: JSON.parse(error.refusal.body) };
  throw error;
}

async function answerTo(
  request: DecisionRequest,
  service: Service,
  socket: Connection,
  place: Place,
): Promise<ServiceAnswer> {
  try {
    return await service.answer(request.policy, describedCall(request, socket));
  } catch (error) {
    throw problemOf(error, request, place);
  }
}

/** Returns the problem of a request that the policy could not count; any other error as it is. */
function problemOf(error: unknown, { policy, request, cost }: DecisionRequest, place: Place): unknown {
  if (!(error instanceof SluiceError)) return error;
  if (error.code === 'SLUICE_KEY' && request?.address === undefined) {
    const detail = `is required: the policy ${JSON.stringify(policy)} has no other key to count this request by`;
    return inputProblem(400, [{ pointer: pointerOf([...place, 'request', 'address']), detail }], { cause: error });
  }
  if (error.code === 'SLUICE_KEY' || error.code === 'SLUICE_COST') {
    const pointer = pointerOf(error.code === 'SLUICE_COST' && cost !== undefined ? [...place, 'cost'] : place);
    return inputProblem(400, [{ pointer, detail: `cannot be counted: ${error.message}` }], { cause: error });
  }
  return error;
}

function decisionOf(
  { allowed, decision, headers, refusal }: ServiceAnswer,
  policy: string,
  revision: string,
): DecisionAnswer {
  return {
    allowed,
    policy,
    revision,
    retryAfterMs: decision ? decision.retryAfterMs : allowed ? 0 : 'never',
    ...(decision && decision.delayMs > 0 && { delayMs: decision.delayMs }),
    source: decision?.source ?? 'none',
    verdicts: decision?.verdicts ?? [],
    headers: refusal ? { ...headers, ...refusal.headers } : headers,
    ...(refusal && { problem: JSON.parse(refusal.body) }),
  };
}

import type { IncomingMessage } from 'node:http';
import { readJson } from '../http/read-body.js';
import { checkInput } from '../input/check-input.js';
import { inputProblem } from '../input/many-mistakes.js';
import { requestOfJson } from './json-request.js';
import { JsonRateLimitRequest } from './json-schema.js';
import type { RateLimitRequest } from './rate-limit-request.js';

/** As long as a message over gRPC may be. */
const MOST_BYTES = 262_144;

/**
 * Reads the body of `POST /json`. Clients of the original send any content type, so none is asked for.
 *
 * @throws InputProblem 400 if the body is no such request; 413 if it is too large
 * @throws RequestMistake if a number comes under both of its names
 */
export async function readJsonRequest(message: IncomingMessage): Promise<RateLimitRequest> {
  const checked = checkInput(JsonRateLimitRequest, await readJson(message, MOST_BYTES));
  if (checked.mistakes) throw inputProblem(400, checked.mistakes);
  return requestOfJson(checked.value);
}

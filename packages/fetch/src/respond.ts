// A function of its own, beside the guards: what follows a response is the same for all of them, so that it is done once. Some frameworks
// have functions before a handler, some functions around it, and some only the handler, so that a guard calls no handler.

import { isResponse } from '@sluice/core/http';
import { checkFunction, optionError } from '@sluice/core/values';
import { requestOf } from './fetch-request.js';

/**
 * Runs the handler of a request that all guards have admitted, and returns its response with their header fields. A field that the
 * handler sets itself stays as it is. It also tells the guards how the request ends, so that slots are freed and charges are given back.
 * Call it for every request that a guard has admitted.
 *
 * If the handler fails, so does the result. For the response to that error, call it once more: then the response has the fields, too.
 *
 * @throws SluiceError `SLUICE_OPTION` if the handler returns no `Response`
 * @example
 * const refused = await limit(request, { address });
 * return refused ?? respond(request, () => new Response('hello'));
 */
export async function respond(request: Request, handler: () => Response | Promise<Response>): Promise<Response> {
  checkFunction(handler, 'handler');
  const fetchRequest = requestOf(request);
  const ends = fetchRequest.takeEnds();
  try {
    const response = await handler();
    if (!isResponse(response)) throw optionError('handler', 'must return a Response', response);
    return fetchRequest.end(ends, response);
  } catch (reason) {
    fetchRequest.fail(ends);
    throw reason;
  }
}

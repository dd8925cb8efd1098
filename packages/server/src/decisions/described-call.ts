import type { IncomingHttpHeaders } from 'node:http';
import { durationMs } from '@sluice/core/values';
import { OpenRecord } from '../input/open-record.js';
import type { ServiceCall } from '../service/service-call.js';
import type { DecisionRequest } from './decision-request.js';

/** How long a named operation is remembered: callers repeat a call within their own deadline. */
const OPERATION_HOLD_MS = 10_000;

/** Where a request for decisions came from. */
export type Connection = NonNullable<ServiceCall['socket']>;

/**
 * Returns the call that a caller describes.
 *
 * @param socket - the connection of the caller: a policy believes some header fields only from certain addresses (`trustedFrom`)
 */
export function describedCall(
  { kind, request, keys, tier, cost, id, expires }: DecisionRequest,
  socket: Connection,
): ServiceCall {
  const { method = 'GET', path = '/', headers, address } = request ?? {};
  return {
    kind,
    method,
    url: path,
    headers: headers ? headerFields(headers) : NO_FIELDS,
    ip: address,
    socket,
    ...(keys !== undefined && { keys }),
    ...(tier !== undefined && { tier }),
    ...(cost !== undefined && { cost }),
    ...(id !== undefined && {
      operationId: id,
      holdMs: OPERATION_HOLD_MS,
      correctableMs: durationMs(expires, 'expires'),
    }),
  };
}

const NO_FIELDS: IncomingHttpHeaders = Object.freeze({});

/** Names in lower case, and repeated fields as one list, as Node has them. */
function headerFields(headers: Readonly<Record<string, string | string[]>>): IncomingHttpHeaders {
  const fields = new OpenRecord<string>();
  for (const [name, value] of Object.entries(headers)) {
    fields[name.toLowerCase()] = typeof value === 'string' ? value : value.join(', ');
  }
  return fields;
}

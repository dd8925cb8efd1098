import { type CallAddress, callAddress } from '../dialects/dialects.js';
import type { CallFormat } from '../dialects/format.js';
import { readPath } from '../dialects/read-path.js';
import { type FetchInput, isRequest, urlOf } from './fetch-input.js';

/** Whether a request to a provider runs no model and costs nothing, by its method and path. */
export function isFreeRequest(input: FetchInput, init: RequestInit): boolean {
  return isFree(methodOf(input, init), pathOf(input).toLowerCase());
}

/**
 * Returns what the address of a request that is not free says, by its method and path; undefined if it is no call that is known.
 *
 * @param stated - the dialect of every call, as the user states it. Absent: the path says it
 */
export function addressOfRequest(
  input: FetchInput,
  init: RequestInit,
  stated: CallFormat | undefined,
): CallAddress | undefined {
  // Forms are not read here, whatever they are for.
  if (methodOf(input, init) !== 'POST' || init.body instanceof FormData) return undefined;
  const said = callAddress(pathOf(input));
  return stated === undefined ? said : { ...said, format: stated };
}

/** Returns the method and the path of a request, to name it by. */
export function requestLine(input: FetchInput, init: RequestInit): string {
  return `${methodOf(input, init)} ${new URL(urlOf(input)).pathname}`;
}

function pathOf(input: FetchInput): string {
  return readPath(new URL(urlOf(input)).pathname);
}

function methodOf(input: FetchInput, init: RequestInit): string {
  return (init.method ?? (isRequest(input) ? input.method : 'GET')).toUpperCase();
}

/** Nobody knows how a server reads what is still encoded, a backslash or a parameter of a path. */
const NAME = '[^/%\\\\;]+';

/** To read what is stored, and to delete it, costs nothing. */
const STORED =
  'models|files|uploads|responses|conversations|chat/completions|batches|messages/batches|fine_tuning|threads|assistants|vector_stores|evals|containers';
const READING = new RegExp(`/(?:${STORED})(?:/${NAME})*$`);

/** Requests that are sent with POST and run no model. */
const POSTING = new RegExp(
  `/(?:${[
    'messages/count_tokens',
    `(?:models|tunedmodels|endpoints)/${NAME}:counttokens`,
    'model/[^/]+/count-tokens',
    'responses/input_tokens',
    'moderations',
    'files',
    'threads',
    `threads/${NAME}/messages`,
    'uploads',
    `uploads/${NAME}/(?:parts|complete|cancel)`,
    `(?:responses|batches|messages/batches)/${NAME}/cancel`,
  ].join('|')})$`,
);

/** Whether a request of a provider's API runs no model. */
function isFree(method: string, path: string): boolean {
  if (method === 'POST') return POSTING.test(path);
  return (method === 'GET' || method === 'HEAD' || method === 'DELETE') && READING.test(path);
}

/** Returns the id of the response that a free request reads or cancels; undefined if it is about something else. */
export function storedResponseOf(input: FetchInput): string | undefined {
  return /\/responses\/([^/]+)(?:\/cancel)?$/.exec(new URL(urlOf(input)).pathname)?.[1];
}

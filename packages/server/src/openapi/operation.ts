import { type SchemaName, schemaRef } from './components.js';
import type { Exchange } from './exchange.js';

/** Any part of the description. */
export type Part = Readonly<Record<string, unknown>>;

/** The exchanges of an operation, by their names. */
export type Exchanges = Readonly<Record<string, Exchange>>;

/** A body of JSON, with the requests of exchanges as examples. */
export function requestBody(schema: SchemaName | Part, exchanges: Exchanges, required = true): Part {
  return { required, content: { 'application/json': { schema: partOf(schema), examples: requestsOf(exchanges) } } };
}

/** A response, with those of the exchanges that have this status as examples. */
export function jsonResponse(
  status: number,
  description: string,
  schema: SchemaName | Part,
  exchanges: Exchanges = {},
  headers?: Part,
): Part {
  const type = schema === 'Problem' ? 'application/problem+json' : 'application/json';
  const examples = responsesOf(exchanges, status);
  const content = { schema: partOf(schema), ...(Object.keys(examples).length > 0 && { examples }) };
  return { [status]: { description, ...(headers && { headers }), content: { [type]: content } } };
}

/** A response with a problem. */
export function problemResponse(status: number, description: string, exchanges?: Exchanges, headers?: Part): Part {
  return jsonResponse(status, description, 'Problem', exchanges, headers);
}

/** A parameter of the path, which is always required. */
export function pathParameter(name: string, description: string, example?: string): Part {
  const shown = example === undefined ? {} : { example };
  return { name, in: 'path', required: true, description, schema: { type: 'string' }, ...shown };
}

/** A header field of the request. */
export function fieldParameter(name: string, description: string, example?: string): Part {
  const shown = example === undefined ? {} : { example };
  return { name, in: 'header', description, schema: { type: 'string' }, ...shown };
}

/** A header field of a response. */
export function field(description: string): Part {
  return { description, schema: { type: 'string' } };
}

/** The fields of decisions in responses. */
export const LIMIT_FIELDS: Part = {
  'RateLimit-Policy': field('The limits of the policy (draft-ietf-httpapi-ratelimit-headers-11).'),
  RateLimit: field('What is left of each limit.'),
};

/** The fields of refusals in responses. */
export const REFUSAL_FIELDS: Part = {
  ...LIMIT_FIELDS,
  'Retry-After': field('Seconds until the request would be allowed. Absent if waiting does not help.'),
};

/** Callers beyond loopback need a call token, or come from a trusted proxy. */
export const CALLERS: Part = { security: [{}, { callToken: [] }] };

/** The responses to callers who may not ask, and to bodies that cannot be read. */
export const BODY_PROBLEMS: Part = {
  ...problemResponse(
    401,
    'Beyond loopback, callers need a call token, or an address in `trustedProxies`. Web pages always need a call token.',
  ),
  ...problemResponse(413, 'The body, or the list in it, is too long.'),
  ...problemResponse(415, 'The body is no JSON, or is compressed.'),
};

function partOf(schema: SchemaName | Part): Part {
  return typeof schema === 'string' ? schemaRef(schema) : schema;
}

function requestsOf(exchanges: Exchanges): Part {
  return Object.fromEntries(
    Object.entries(exchanges).map(([name, { summary, request }]) => [name, { summary, value: request }]),
  );
}

function responsesOf(exchanges: Exchanges, status: number): Part {
  return Object.fromEntries(
    Object.entries(exchanges)
      .filter(([, exchange]) => exchange.status === status)
      .map(([name, { summary, response }]) => [name, { summary, value: response }]),
  );
}

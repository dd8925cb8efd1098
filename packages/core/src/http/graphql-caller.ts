import { type InvocationSource, NOBODY } from './caller.js';
import type { HttpRequest } from './node/request.js';
import type { HttpResponse } from './node/response.js';

/** What GraphQL servers put into the context of a request, by the name of one framework or another. */
export interface GraphQLContext {
  readonly req?: HttpRequest;
  readonly request?: HttpRequest;
  readonly res?: GraphQLResponse;
  readonly reply?: GraphQLResponse;
}

type GraphQLResponse = HttpResponse & { readonly request?: HttpRequest };

/**
 * Who calls a resolver: a request that may call many.
 *
 * @example new Call(graphqlCaller({ req, res }))
 */
export function graphqlCaller({ req, request, res, reply: response = res }: GraphQLContext = {}): InvocationSource {
  return { request: req ?? request ?? response?.request ?? NOBODY.request, response, isShared: true };
}

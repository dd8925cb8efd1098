import type { HttpRequest, NodeResponse } from '@sluice/core/http';
import { type InvocationSource, NOBODY } from './invocation-source.js';

/** What GraphQL servers put into the context of a request, by the name of one framework or another. */
export interface GraphQLContext {
  readonly req?: HttpRequest;
  readonly request?: HttpRequest;
  readonly res?: GraphQLResponse;
  readonly reply?: GraphQLResponse;
}

type GraphQLResponse = NodeResponse & { readonly request?: HttpRequest };

/**
 * Who calls a resolver: a request that may call many.
 *
 * @example new Invocation(graphqlSource({ req, res }))
 */
export function graphqlSource({ req, request, res, reply: response = res }: GraphQLContext = {}): InvocationSource {
  return { request: req ?? request ?? response?.request ?? NOBODY.request, response, isShared: true };
}

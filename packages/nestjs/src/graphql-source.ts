import type { HttpRequest, NodeResponse } from '@sluice/core/http';
import { type InvocationSource, NOBODY } from './invocation-source.js';

/** The fields that GraphQL servers put into the context of a request. Their names differ between frameworks. */
export interface GraphQLContext {
  readonly req?: HttpRequest;
  readonly request?: HttpRequest;
  readonly res?: GraphQLResponse;
  readonly reply?: GraphQLResponse;
}

type GraphQLResponse = NodeResponse & { readonly request?: HttpRequest };

/**
 * Returns the source of resolver calls: a request, which may cause many calls.
 *
 * @example new Invocation(graphqlSource({ req, res }))
 */
export function graphqlSource({ req, request, res, reply: response = res }: GraphQLContext = {}): InvocationSource {
  return { request: req ?? request ?? response?.request ?? NOBODY.request, response, isShared: true };
}

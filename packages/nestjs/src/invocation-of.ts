import type { ExecutionContext } from '@nestjs/common';
import { requestPoliciesOf } from '@sluice/core/http';
import { graphqlSource } from './graphql-source.js';
import { Invocation } from './invocation.js';
import { type InvocationSource, NOBODY } from './invocation-source.js';
import { socketSource } from './socket-source.js';

const INVOCATION = Symbol('sluice.invocation');

interface Bearer {
  [INVOCATION]?: Invocation;
}

/** Returns the invocation that an object carries. The first call creates it. */
export function invocationAt(bearer: Bearer, make: () => Invocation): Invocation {
  bearer[INVOCATION] ??= make();
  return bearer[INVOCATION];
}

/**
 * Returns the invocation of a handler, which its guards, its interceptor and its parameters share. In HTTP each request
 * is one. Elsewhere a request may hold several, each with its own arguments. All guards of an invocation have the same
 * context.
 */
export function invocationOf(context: ExecutionContext & Bearer): Invocation {
  return context[INVOCATION] ?? newlyFoundIn(context);
}

/** In a function of its own, because several calls per request need no closures. */
function newlyFoundIn(context: ExecutionContext & Bearer): Invocation {
  return invocationAt(context, () => invocationAt(bearerOf(context), () => new Invocation(sourceOf(context))));
}

function bearerOf(context: ExecutionContext): object {
  return context.getType() === 'http' ? requestPoliciesOf(context.getArgByIndex(0)) : context.getArgs();
}

function sourceOf(context: ExecutionContext): InvocationSource {
  const args = context.getArgs();
  switch (context.getType<string>()) {
    case 'http':
      return { request: args[0], response: args[1], isShared: false };
    case 'graphql':
      // The context is the argument before the last, even for an entity resolver, which has no parent.
      return graphqlSource(args.at(-2));
    case 'ws':
      return socketSource(args[0]);
    default:
      return NOBODY;
  }
}

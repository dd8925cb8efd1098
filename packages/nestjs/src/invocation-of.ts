import type { ExecutionContext } from '@nestjs/common';
import { chainOf } from '@sluice/core/http';
import { graphqlSource } from './graphql-source.js';
import { Invocation } from './invocation.js';
import { type InvocationSource, NOBODY } from './invocation-source.js';
import { socketSource } from './socket-source.js';

const INVOCATION = Symbol('sluice.invocation');

/** The invocation that an object carries, made when it is asked for the first time. */
export function invocationAt(bearer: object & { [INVOCATION]?: Invocation }, make: () => Invocation): Invocation {
  bearer[INVOCATION] ??= make();
  return bearer[INVOCATION];
}

/**
 * The invocation of a handler, of which its guards, its interceptor and its parameters know the same. By HTTP each
 * request is one. Otherwise a request may hold many, each with arguments of its own. All guards of an invocation have one context.
 */
export function invocationOf(context: ExecutionContext): Invocation {
  return invocationAt(context, () => invocationAt(bearerOf(context), () => new Invocation(sourceOf(context))));
}

function bearerOf(context: ExecutionContext): object {
  return context.getType() === 'http' ? chainOf(context.getArgByIndex(0)) : context.getArgs();
}

function sourceOf(context: ExecutionContext): InvocationSource {
  const args = context.getArgs();
  switch (context.getType<string>()) {
    case 'http':
      return { request: args[0], response: args[1], isShared: false };
    case 'graphql':
      // Its context stands before the last, also where an entity is resolved, which has no parent.
      return graphqlSource(args.at(-2));
    case 'ws':
      return socketSource(args[0]);
    default:
      return NOBODY;
  }
}

import type { ExecutionContext } from '@nestjs/common';
import {
  callAt,
  chainOf,
  graphqlCaller,
  Invocation,
  type InvocationSource,
  NOBODY,
  socketCaller,
} from '@sluice/core/http';

/**
 * The call of a handler, of which its guards, its interceptor and its parameters know the same. By HTTP the request is the
 * call. Otherwise one may hold many calls, each with arguments of its own. All guards of a call have one context.
 */
export function callOf(context: ExecutionContext): Invocation {
  return callAt(context, () => callAt(bearerOf(context), () => new Invocation(callerOf(context))));
}

function bearerOf(context: ExecutionContext): object {
  return context.getType() === 'http' ? chainOf(context.getArgByIndex(0)) : context.getArgs();
}

function callerOf(context: ExecutionContext): InvocationSource {
  const args = context.getArgs();
  switch (context.getType<string>()) {
    case 'http':
      return { request: args[0], response: args[1], isShared: false };
    case 'graphql':
      // Its context stands before the last, also where an entity is resolved, which has no parent.
      return graphqlCaller(args.at(-2));
    case 'ws':
      return socketCaller(args[0]);
    default:
      return NOBODY;
  }
}

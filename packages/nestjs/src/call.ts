import type { ExecutionContext } from '@nestjs/common';
import { Call, type Caller, chainOf, graphqlCaller, NOBODY, socketCaller } from '@sluice/core/http';

/** Where the chain of a request, or the arguments of a handler, carry their call. */
const CALL = Symbol('sluice.call');

/**
 * The call of a handler, of which its guards, its interceptor and its parameters know the same. By HTTP the request is the
 * call. Otherwise one may hold many calls, each with arguments of its own.
 */
export function callOf(context: ExecutionContext): Call {
  const key: object = context.getType() === 'http' ? chainOf(context.getArgByIndex(0)) : context.getArgs();
  const bearer: { [CALL]?: Call } = key;
  bearer[CALL] ??= new Call(callerOf(context));
  return bearer[CALL];
}

function callerOf(context: ExecutionContext): Caller {
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

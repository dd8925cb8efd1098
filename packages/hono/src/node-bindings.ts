import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'hono';

/** What `@hono/node-server` passes to an application beside the request. */
export interface NodeBindings {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/**
 * Returns Node's own request and response if `@hono/node-server` serves the application; undefined on other runtimes.
 */
export function nodeBindingsOf({ env }: Context): NodeBindings | undefined {
  const bindings: Partial<NodeBindings> | undefined = env?.server ?? env;
  const { incoming, outgoing } = bindings ?? {};
  const isNode = incoming?.socket !== undefined && typeof outgoing?.on === 'function';
  return isNode ? { incoming, outgoing } : undefined;
}

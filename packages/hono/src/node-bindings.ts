import type { IncomingMessage, ServerResponse } from 'node:http';
import { isUpgraded } from '@sluice/core/http';
import type { Context } from 'hono';

/** What `@hono/node-server` passes to an application beside the request. */
export interface NodeBindings {
  readonly incoming: IncomingMessage;
  /** Undefined for the upgrade of a connection, whose response Node does not make. */
  readonly outgoing: ServerResponse | undefined;
}

/**
 * Returns Node's own request and response if `@hono/node-server` serves the application; undefined on other runtimes.
 */
export function nodeBindingsOf({ env }: Context): NodeBindings | undefined {
  const bindings: Partial<NodeBindings> | undefined = env?.server ?? env;
  const { incoming, outgoing } = bindings ?? {};
  if (incoming?.socket === undefined) return undefined;
  if (typeof outgoing?.on === 'function') return { incoming, outgoing };
  return isUpgraded(incoming) ? { incoming, outgoing: undefined } : undefined;
}

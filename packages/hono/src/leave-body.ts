import { leaveUnread } from '@sluice/core/http';
import type { NodeBindings } from './node-bindings.js';

/**
 * Leaves the body of a refused request unread. By itself, `@hono/node-server` would read up to 64 MB of it, to use the
 * connection again. So it may do that only with a body that has arrived as a whole; it closes the connection of others.
 */
export function leaveBody({ incoming, outgoing }: NodeBindings): void {
  // An upgrade has no body.
  if (!outgoing) return;
  leaveUnread(incoming, outgoing);
  const { resume } = incoming;
  incoming.resume = () => (incoming.complete ? resume.call(incoming) : incoming);
}

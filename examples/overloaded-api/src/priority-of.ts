import type { IncomingMessage } from 'node:http';
import type { Priority } from '@sluice/core/load';

/** How important a request is. Nothing that a client sends makes it more important than its path. */
export function priorityOf({ url = '', headers }: IncomingMessage): Priority {
  if (url.startsWith('/checkout')) return 'critical';
  // Browsers say so when they load a page that nobody has asked for yet.
  return headers['sec-purpose'] === 'prefetch' ? 'low' : 'normal';
}

import type { IncomingMessage } from 'node:http';

/** Whether Node has left the connection of a request to the application: it does not close or reuse it any more. */
export function isUpgraded(request: IncomingMessage & { readonly upgrade?: boolean | null }): boolean {
  return request.upgrade === true;
}

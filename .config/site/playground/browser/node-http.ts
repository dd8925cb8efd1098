// Stands in for `node:http` in the page: what the limiter and the readers of logs ask of it.

/** No response of the page is one of Node's. */
export class ServerResponse {}

/** The methods that a server of Node accepts. */
export const METHODS: readonly string[] = [
  ...['ACL', 'BIND', 'CHECKOUT', 'CONNECT', 'COPY', 'DELETE', 'GET', 'HEAD', 'LINK', 'LOCK', 'M-SEARCH', 'MERGE'],
  ...['MKACTIVITY', 'MKCALENDAR', 'MKCOL', 'MOVE', 'NOTIFY', 'OPTIONS', 'PATCH', 'POST', 'PROPFIND', 'PROPPATCH'],
  ...['PURGE', 'PUT', 'QUERY', 'REBIND', 'REPORT', 'SEARCH', 'SOURCE', 'SUBSCRIBE', 'TRACE', 'UNBIND', 'UNLINK'],
  ...['UNLOCK', 'UNSUBSCRIBE'],
];

/** Only a policy with `onMissingKey` reads them, and here every request has a key. */
export const STATUS_CODES: Readonly<Record<number, string>> = {};

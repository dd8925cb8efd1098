// Why it is so: cloudflare/docs/requests-of-a-worker.md

/**
 * Whether timers and signals belong to the request of the application that has made them, as in a Worker of Cloudflare: a timer ends with its
 * request, and another request that aborts or reads a signal fails. Then no request may wake another one.
 */
export const IS_REQUEST_BOUND: boolean =
  (globalThis as { readonly navigator?: { readonly userAgent?: unknown } }).navigator?.userAgent ===
  'Cloudflare-Workers';

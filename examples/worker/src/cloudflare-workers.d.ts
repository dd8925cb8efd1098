/** What Workers have of their configuration. `wrangler types` writes this for yours. */
declare module 'cloudflare:workers' {
  import type { LimitsNamespace } from '@sluice/cloudflare';

  export const env: { readonly LIMITS: LimitsNamespace };

  export function waitUntil(promise: Promise<unknown>): void;
}

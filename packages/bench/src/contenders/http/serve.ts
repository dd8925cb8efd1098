import type { Quota } from '../../contender.js';

/** What stands before the one route of a server. */
export const VARIANTS = ['bare route', 'bare Map counter', 'Sluice', 'peer'] as const;
export type Variant = (typeof VARIANTS)[number];

/** This field distinguishes clients, as by an API key. */
export const CLIENT_FIELD = 'x-client';

/** What the route answers. */
export const GREETING = { hello: 'world' };

export interface Served {
  readonly port: number;
  close(): unknown;
}

/** Serves on a free port. */
export type Serve = (variant: Variant, quota: Quota) => Promise<Served>;

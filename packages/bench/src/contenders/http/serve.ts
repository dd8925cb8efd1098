import type { Quota } from '../../contender.js';

/** What stands before the one route of a server. */
export const VARIANTS = ['bare route', 'bare Map counter', 'Sluice', 'peer'] as const;
export type Variant = (typeof VARIANTS)[number];

/** How clients are told apart: by the address that a trusted proxy forwards, or by a header field, as by an API key. */
export const IDENTITIES = ['address', 'header'] as const;
export type Identity = (typeof IDENTITIES)[number];

/** This field distinguishes clients, as by an API key. */
export const CLIENT_FIELD = 'x-client';

/** The proxies that servers trust if they tell clients apart by address. */
export const PROXIES = ['loopback', '10.0.0.0/8'];

/** Returns the header fields by which a client is known. */
export function fieldsOf(identity: Identity, client: number): Readonly<Record<string, string>> {
  if (identity === 'header') return { [CLIENT_FIELD]: `client-${client}` };
  return { 'x-forwarded-for': `198.18.${client >> 8}.${client & 255}` };
}

/** What the route answers. */
export const GREETING = { hello: 'world' };

interface Served {
  readonly port: number;
  close(): unknown;
}

/** Serves on a free port. */
export type Serve = (variant: Variant, quota: Quota, identity: Identity) => Promise<Served>;

// Why it is so: core/docs/why/decision-service.md

import { randomBytes } from 'node:crypto';
import type { Charge } from '@sluice/core';
import { TokenSecrets } from './token-secrets.js';

/**
 * The content of a token, or why it has none: `altered` if it is no token that was made here, `foreign` if another secret signed
 * it.
 */
type ReadToken =
  | { readonly charge: Charge; readonly wrong?: undefined }
  | { readonly wrong: 'altered' | 'foreign'; readonly charge?: undefined };

/** Makes the tokens of reservations, and reads them. */
export interface ReservationTokens {
  /** Returns the token of a charge, for a path of a URL. */
  tokenOf(charge: Charge): string;
  /** Reads a token that a caller has sent. Whether it has expired, the store says. */
  read(token: string): ReadToken;
}

const TOKEN = /^1\.([A-Za-z0-9_-]{8})\.([A-Za-z0-9_-]{24,})\.([A-Za-z0-9_-]{43})$/;

/**
 * Makes and reads the tokens of reservations. A token has all that a correction needs, so no instance keeps reservations, and any
 * instance with the same secrets corrects what another one has charged.
 *
 * A token is `1.NAME.CHARGE.SIGNATURE`: the name of the secret, the charge (policy, keys as the store has them, checks, cost, id and end)
 * encrypted with AES-256-CTR, and the HMAC-SHA256 of all that stands before. It is encrypted because it stands in a URL, which
 * proxies log, and the key of a charge may be an address.
 *
 * @param secrets - the first seals and signs, all of them verify. Each has at least 16 characters.
 * @throws SluiceError `SLUICE_OPTION`
 */
export function reservationTokens(secrets: readonly string[]): ReservationTokens {
  const keys = new TokenSecrets(secrets);
  return {
    tokenOf: (charge) => {
      const signed = `1.${keys.name}.${keys.seal(JSON.stringify(charge))}`;
      return `${signed}.${keys.sign(signed)}`;
    },

    read: (token) => {
      const [, name, sealed, signature] = TOKEN.exec(token) ?? [];
      if (name === undefined || sealed === undefined || signature === undefined) return { wrong: 'altered' };
      if (!keys.has(name)) return { wrong: 'foreign' };
      if (!keys.verify(name, `1.${name}.${sealed}`, signature)) return { wrong: 'altered' };
      return { charge: JSON.parse(keys.open(name, sealed)) };
    },
  };
}

/** Returns a secret that nobody else has: for one instance alone, whose reservations end with it. */
export function newSecret(): string {
  return randomBytes(32).toString('hex');
}

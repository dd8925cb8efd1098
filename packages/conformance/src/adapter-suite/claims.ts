import { checkOptions, optionError } from '@sluice/core/values';
import type { Claim } from '../store-suite/claims.js';

/** What the author of an adapter says that it can do. There is no default, as for stores. */
export interface AdapterClaims {
  /** The adapter tells when a handler ends: slots are kept until then, even if the client has left. */
  readonly handlerEnds: Claim;
}

/**
 * Checks that every capability is claimed or explained.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkAdapterClaims(claims: AdapterClaims): void {
  checkOptions(claims, ['handlerEnds'], 'claims');
  const { handlerEnds: claim } = claims;
  if (claim === true || (typeof claim === 'string' && claim.trim() !== '')) return;
  throw optionError('claims.handlerEnds', 'must be true, or text that says why the adapter has not got it', claim);
}

/** Returns why a rule does not concern the adapter; undefined if it does. */
export function whyLeftOut({ handlerEnds }: AdapterClaims, needed: boolean | undefined): string | undefined {
  if (needed === undefined || needed === (handlerEnds === true)) return undefined;
  return needed ? `not handlerEnds: ${handlerEnds}` : 'handlerEnds is claimed';
}

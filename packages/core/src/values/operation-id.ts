import { toBase64url } from './base64url.js';
import { fillRandomly } from './random.js';

/**
 * All ids of this process begin with these 72 random bits. Those of other processes begin with others. Made for the first id: some
 * runtimes give no random numbers before the first request.
 */
let processId: string | undefined;

let count = 0;

/** Returns an id that no other operation has, in this process or in another one. */
export function nextOperationId(): string {
  processId ??= toBase64url(fillRandomly(new Uint8Array(9)));
  count += 1;
  return `${processId}-${count.toString(36)}`;
}

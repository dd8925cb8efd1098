import { randomBytes } from 'node:crypto';

/** Returns a secret that nobody else has: for one instance alone, whose reservations end with it. */
export function newSecret(): string {
  return randomBytes(32).toString('hex');
}

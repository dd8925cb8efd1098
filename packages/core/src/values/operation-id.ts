import { randomBytes } from 'node:crypto';

/** What the ids of this process begin with, and those of no other: 72 random bits. */
const PROCESS = randomBytes(9).toString('base64url');

let count = 0;

/** An id that no other charge has, here or in any other process. */
export function nextOperationId(): string {
  count += 1;
  return `${PROCESS}-${count.toString(36)}`;
}

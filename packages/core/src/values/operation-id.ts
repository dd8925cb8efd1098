import { randomBytes } from 'node:crypto';

/** All ids of this process begin with these 72 random bits. Those of other processes begin with others. */
const PROCESS = randomBytes(9).toString('base64url');

let count = 0;

/** Returns an id that no other operation has, in this process or in another one. */
export function nextOperationId(): string {
  count += 1;
  return `${PROCESS}-${count.toString(36)}`;
}

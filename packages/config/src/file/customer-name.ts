import { createHash } from 'node:crypto';

const PREFIX = 'sha256:';

/** Whether a name of a customer stands for the hash of the value of the key. */
export function isHashed(name: string): boolean {
  return name.startsWith(PREFIX);
}

/** Returns the name of a customer in lower case if it is a hash; undefined if it should be one, and is not. */
export function normalCustomerName(name: string): string | undefined {
  if (!isHashed(name)) return name;
  return /^sha256:[0-9a-fA-F]{64}$/.test(name) ? name.toLowerCase() : undefined;
}

/**
 * Returns the name by which a file can list a customer without the value of the key: `sha256:` and its SHA-256 in hexadecimal, as
 * `printf %s "$KEY" | sha256sum` prints it.
 */
export function hashedCustomer(value: string): string {
  return PREFIX + createHash('sha256').update(value).digest('hex');
}

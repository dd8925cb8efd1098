import { SluiceError } from '@sluice/core';

/** How a message of Redis or its client begins, and how to fix the problem. */
const REMEDIES: readonly [says: RegExp, remedy: string][] = [
  [
    /subscriber mode|are allowed in this context/,
    'the Redis client is in subscriber mode: give the store its own client, client.duplicate()',
  ],
  [
    /NOPERM|ACL failure in script|user executing the script/,
    'the Redis user lacks a permission: its ACL must allow +evalsha +eval +mget +get +set +setrange +del +unlink +time +info on its prefix, and for blocks what docs/setting-up.md of @sluice/redis adds',
  ],
  [/^(NOAUTH|WRONGPASS)/, 'Redis refused the user name or the password: set the right ones on the client'],
  [/READONLY/, 'Redis is a read-only replica: connect to the primary, or find it through Sentinel'],
  [/OOM command/, 'Redis is full and evicts no keys: raise its maxmemory'],
  [/Connection is closed/, 'the Redis client was closed: quit it after the store is closed'],
  [
    /The client is closed/,
    'the Redis client is not open: call its connect() at the start of the program, and close it after the store',
  ],
  [/unknown command/i, 'Redis does not know a command of the scripts: use Redis 6.2 or newer'],
];

/**
 * Returns an error that says how to fix the problem, or the original error if there is no advice. It is never a mistake
 * of the program, which no policy would hide.
 */
export function explained(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof SluiceError) return error;
  const suggestion = REMEDIES.find(([says]) => says.test(error.message))?.[1];
  return suggestion === undefined ? error : new SluiceError('SLUICE_STORE', suggestion, { cause: error });
}

/** The error of a client that will never reply again. */
export function closedClient(): SluiceError {
  return explained(new Error('Connection is closed.')) as SluiceError;
}

import { SluiceError } from '@sluice/core';

/** What Redis, or its client, says first, and what to change then. */
const CURES: readonly [says: RegExp, cure: string][] = [
  [/subscriber mode/, 'the Redis client is in subscriber mode: give the store one of its own, client.duplicate()'],
  [
    /NOPERM|user executing the script/,
    'the Redis user lacks a right: its ACL must allow +evalsha +eval +mget +get +set +setrange +del +unlink +time +info on its prefix',
  ],
  [/^(NOAUTH|WRONGPASS)/, 'Redis wants another user name or password: set them on the client'],
  [/READONLY/, 'Redis is a read-only replica: connect to the primary, or find it through Sentinel'],
  [/OOM command/, 'Redis is full and evicts nothing: give it a larger maxmemory'],
  [/Connection is closed/, 'the Redis client was closed: quit it after the store, and not before the last request'],
  [/unknown command/i, 'Redis does not know a command of the scripts: 6.2 is the oldest that does'],
];

/**
 * The error as it came, or, where something can be done about it, one that says what. Never a mistake that no policy
 * would hide.
 */
export function explained(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof SluiceError) return error;
  const suggestion = CURES.find(([says]) => says.test(error.message))?.[1];
  return suggestion === undefined ? error : new SluiceError('SLUICE_STORE', suggestion, { cause: error });
}

/** For a client that will never answer again. */
export function closedClient(): SluiceError {
  return explained(new Error('Connection is closed.')) as SluiceError;
}

import { systemClock } from '@sluice/core';
import { type Keyspace, untilReady } from '@sluice/core/store';
import { optionError } from '@sluice/core/values';
import { type ClientError, type RedisDriver, troubleOf } from './redis-driver.js';

const RETRY_MS = 50;

/**
 * Waits for `work`, while the store is open. If it takes longer than the timeout, it throws an error that says why.
 *
 * @throws SluiceError `SLUICE_STORE`; its cause is the last error that the client reported meanwhile, if there was one. `SLUICE_CLOSED`
 */
export async function withTimeout(
  { driver, keyspace }: { readonly driver: RedisDriver; readonly keyspace: Keyspace },
  timeoutMs: number,
  work: (over: AbortSignal) => Promise<void>,
): Promise<void> {
  let lastError: ClientError | undefined;
  const stopListening = onError(driver, (error) => {
    lastError = error;
  });
  try {
    const late = () => ({
      what: 'Redis did not answer',
      // If none of several addresses of a host could be reached, Node reports only a code.
      why: [troubleOf(driver), lastError?.message || lastError?.code],
      cause: lastError,
    });
    await untilReady({ keyspace, timeoutMs, work, late });
  } finally {
    stopListening();
  }
}

type ErrorListener = (error: ClientError) => void;

/** Those who listen to a client, and how to end that. */
interface Listening {
  readonly listeners: Set<ErrorListener>;
  readonly stop: (() => void) | undefined;
}

/** Each client has one listener for all of them, as in `onConnected`. */
const listening = new WeakMap<RedisDriver, Listening>();

/** Calls `listener` with each error of the client. Returns a function that ends that. */
function onError(driver: RedisDriver, listener: ErrorListener): () => void {
  const known = listening.get(driver);
  known?.listeners.add(listener);
  const { listeners, stop } = known ?? beginListening(driver, new Set([listener]));
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    listening.delete(driver);
    stop?.();
  };
}

function beginListening(driver: RedisDriver, listeners: Set<ErrorListener>): Listening {
  const stop = driver.onError?.((error) => {
    for (const listener of listeners) listener(error);
  });
  const begun = { listeners, stop };
  listening.set(driver, begun);
  return begun;
}

/** Tries until it succeeds, while the client is going to be connected and the time is not over. */
export async function untilConnected(
  driver: RedisDriver,
  attempt: () => Promise<unknown>,
  over: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (driver.status === 'ready' || driver.status === 'end') throw error;
    }
    await systemClock.sleep(RETRY_MS, over);
  }
}

/**
 * Checks what Redis reports about itself, if the user may ask. Returns what no other server has; undefined if that is not
 * known, or if the client has many servers.
 *
 * @throws SluiceError `SLUICE_OPTION` if Redis is too old
 */
export async function inspect(driver: RedisDriver): Promise<string | undefined> {
  const info = await infoOf(driver);
  checkVersion(info);
  warnOfEviction(info);
  return driver.isCluster ? undefined : fieldOf(info, 'run_id');
}

function checkVersion(info: string): void {
  const version = fieldOf(info, 'redis_version');
  if (version !== undefined && isTooOld(version))
    throw optionError('client', 'must be connected to Redis 6.2 or newer', version);
}

function warnOfEviction(info: string): void {
  const policy = fieldOf(info, 'maxmemory_policy');
  if (policy === undefined || policy === 'noeviction' || fieldOf(info, 'maxmemory') === '0') return;
  process.emitWarning(
    `Redis evicts keys when it is full (maxmemory-policy ${policy}), and an evicted key starts again with its full limit. Set noeviction, or give Sluice its own Redis.`,
    {
      type: 'SluiceWarning',
      code: 'SLUICE_REDIS_EVICTS',
      detail: 'See node_modules/@sluice/core/docs/errors.md',
    },
  );
}

async function infoOf(driver: RedisDriver): Promise<string> {
  try {
    return String(await driver.command('INFO', []));
  } catch {
    // Decisions do not need this permission.
    return '';
  }
}

function fieldOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < 6 || (major === 6 && minor < 2);
}

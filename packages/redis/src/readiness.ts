import { SluiceError } from '@sluice/core';
import { optionError, systemClock } from '@sluice/core/store';
import { type ClientError, type RedisClient, troubleOf } from './redis-client.js';

const RETRY_MS = 50;

/** States of a client that is not connected, but is about to be. */
const CONNECTING = ['wait', 'connecting', 'connect', 'close', 'reconnecting'];

/**
 * Waits for `work` no longer than so long, and then says what is in the way.
 *
 * @throws SluiceError `SLUICE_STORE`, with the last error that the client told meanwhile as its cause, if it told one
 */
export async function withPatience(
  client: RedisClient,
  patienceMs: number,
  work: (over: AbortSignal) => Promise<void>,
): Promise<void> {
  let told: ClientError | undefined;
  const listen = (error: ClientError): void => {
    told = error;
  };
  const over = new AbortController();
  client.on?.('error', listen);
  try {
    const budget = systemClock.sleep(patienceMs, over.signal).then(() => {
      throw unready(client, patienceMs, told);
    });
    await Promise.race([work(over.signal), budget]);
  } finally {
    over.abort();
    client.off?.('error', listen);
  }
}

function unready(client: RedisClient, patienceMs: number, cause: ClientError | undefined): SluiceError {
  // Of a host with several addresses Node says by a code alone that none could be reached.
  const reasons = [`Redis did not answer within ${patienceMs} ms`, troubleOf(client), cause?.message || cause?.code];
  return new SluiceError('SLUICE_STORE', reasons.filter(Boolean).join(': '), cause === undefined ? {} : { cause });
}

/** Tries until it succeeds, as long as the client is about to be connected and it is not over. */
export async function untilConnected(
  client: RedisClient,
  attempt: () => Promise<unknown>,
  over: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (!CONNECTING.includes(client.status)) throw error;
    }
    await systemClock.sleep(RETRY_MS, over);
  }
}

/**
 * Holds against what the store needs what Redis says of itself, if it may be asked.
 *
 * @throws SluiceError `SLUICE_OPTION` for a Redis that is too old
 */
export async function inspect(client: RedisClient): Promise<void> {
  const info = await infoOf(client);
  const version = fieldOf(info, 'redis_version');
  if (version !== undefined && isTooOld(version))
    throw optionError('client', 'must be connected to Redis 6.2 or newer', version);
  const policy = fieldOf(info, 'maxmemory_policy');
  if (policy === undefined || policy === 'noeviction' || fieldOf(info, 'maxmemory') === '0') return;
  process.emitWarning(
    `Redis forgets keys when it is full (maxmemory-policy ${policy}), and with a key what was spent. Set noeviction, or give Sluice a Redis of its own.`,
    {
      type: 'SluiceWarning',
      code: 'SLUICE_REDIS_EVICTS',
      detail: 'See node_modules/@sluice/core/docs/errors.md',
    },
  );
}

async function infoOf(client: RedisClient): Promise<string> {
  try {
    return String(await client.call('INFO', []));
  } catch {
    // No decision needs the right to ask.
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

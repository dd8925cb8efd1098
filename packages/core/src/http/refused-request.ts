import { type Eventual, whenReady } from '../values/eventual.js';
import type { DecidedRequest, Enforcement, Fields } from './enforcement.js';
import type { HeaderItem } from './headers/item.js';
import { retryAfterSeconds } from './headers/retry-after.js';
import { abnormalUsage, customRefusal, quotaExceeded, REDUCED_CAPACITY, type Refusal } from './node/problem.js';
import { checkMessage, type HttpOptions } from './options.js';

type Args = readonly unknown[];

/** Refuses a request because a limit is reached. */
export function refusedByLimit<A extends Args>(
  decided: DecidedRequest<A>,
  items: readonly HeaderItem[],
  fields: Fields,
): Eventual<Enforcement> {
  const seconds = retryAfterSeconds(items);
  const refusing = items.filter(({ verdict }) => !verdict.allowed && !verdict.shadow);
  const violated = refusing.map(({ name }) => name);
  const isBlocked = refusing.some(({ verdict }) => verdict.blocked);
  const { onLimitReached, statusCode } = decided.rules.options;
  return refused(
    decided,
    withRetryAfter(decided, fields, seconds),
    () => (isBlocked ? abnormalUsage : quotaExceeded)(violated, seconds, statusCode),
    onLimitReached,
  );
}

/** Refuses a request because the store failed. No numbers are known, and no limit was reached. */
export function refusedWithoutStore<A extends Args>(decided: DecidedRequest<A>): Eventual<Enforcement> {
  return refused(decided, withRetryAfter(decided, {}, 1), () => REDUCED_CAPACITY);
}

/** Refuses a request that would have to wait, because enough others do. If it was admitted, it is given back. */
export function refusedWithoutRoom<A extends Args>(decided: DecidedRequest<A>): Eventual<Enforcement> {
  const { allowed, delayMs, retryAfterMs } = decided.reservation;
  const waitMs = allowed ? delayMs : Number(retryAfterMs);
  return refused(decided, withRetryAfter(decided, {}, Math.max(1, Math.ceil(waitMs / 1000))), () => REDUCED_CAPACITY);
}

/** Returns the fields of a refusal after this wait. */
function withRetryAfter<A extends Args>(
  { rules }: DecidedRequest<A>,
  fields: Fields,
  seconds: number | undefined,
): Fields {
  if (seconds === undefined) return fields;
  const waiting = { ...fields };
  for (const name of rules.retryAfter) waiting[name] = String(seconds);
  return waiting;
}

function refused<A extends Args>(
  decided: DecidedRequest<A>,
  headers: Fields,
  problem: () => Refusal,
  onLimitReached?: HttpOptions<A>['onLimitReached'],
): Eventual<Enforcement> {
  const { reservation, chain, args } = decided;
  const refuse = async (isAnswered: () => boolean): Promise<Refusal | undefined> => {
    if (onLimitReached) await onLimitReached(...args, reservation);
    if (isAnswered()) return undefined;
    const refusal = await refusalOf(decided, problem);
    return isAnswered() ? undefined : refusal;
  };
  return whenReady(chain.cancel(), () => ({ reservation, headers, delayMs: 0, refuse }));
}

/** Returns the policy's own `message`, or else the problem. */
async function refusalOf<A extends Args>(
  { rules, reservation, args }: DecidedRequest<A>,
  problem: () => Refusal,
): Promise<Refusal> {
  const { message } = rules.options;
  if (message === undefined) return problem();
  const content = typeof message === 'function' ? await message(...args, reservation) : message;
  return customRefusal(checkMessage(content, 'message()'), problem().status);
}

import { type Eventual, whenReady } from '../values/eventual.js';
import type { DecidedRequest, Enforcement, Fields } from './enforcement.js';
import { constantText, type HeaderItem } from './headers/item.js';
import { retryAfterSeconds } from './headers/retry-after.js';
import { checkMembers, checkMessage, checkRetryAfter, checkStatus, type RequestOptions } from './options.js';
import { abnormalUsage, customRefusal, quotaExceeded, REDUCED_CAPACITY, type Refusal, withMembers } from './problem.js';

type Args = readonly unknown[];

/** Refuses a request because a limit is reached. */
export function refusedByLimit<A extends Args>(decided: DecidedRequest<A>): Eventual<Enforcement> {
  const { compiled, items, ownItems, args, reservation } = decided;
  const seconds = retryAfterSeconds(ownItems);
  const { onLimitReached, statusCode } = compiled.options;
  return refused(decided, compiled.fields.record(items), seconds, {
    onLimitReached,
    problem: () => {
      if (typeof statusCode !== 'function') return limitProblem(ownItems, seconds, statusCode);
      return whenReady(statusCode(...args, reservation), (status) =>
        limitProblem(ownItems, seconds, checkStatus(status, 'statusCode()')),
      );
    },
  });
}

/**
 * Returns the refusal by a limit of a policy that adds nothing to it.
 *
 * @param seconds - the value of `Retry-After`; undefined if waiting does not help
 */
export function standardRefusal<A extends Args>(
  { compiled, ownItems }: DecidedRequest<A>,
  seconds: number | undefined,
): Refusal {
  return limitProblem(ownItems, seconds, compiled.options.statusCode as number | undefined);
}

function limitProblem(items: readonly HeaderItem[], seconds: number | undefined, status: number | undefined): Refusal {
  let violated = '';
  let isBlocked = false;
  for (const item of items) {
    if (item.allowed || item.shadow) continue;
    violated += `${violated === '' ? '' : ','}${constantText(item).json}`;
    if (item.blocked) isBlocked = true;
  }
  return (isBlocked ? abnormalUsage : quotaExceeded)(`[${violated}]`, seconds, status);
}

/** Refuses a request because the store failed. No numbers are known, and no limit was reached. */
export function refusedWithoutStore<A extends Args>(decided: DecidedRequest<A>): Eventual<Enforcement> {
  return refused(decided, {}, 1, { problem: () => REDUCED_CAPACITY });
}

/** Refuses a request that would have to wait, because enough others do. If it was admitted, it is given back. */
export function refusedWithoutRoom<A extends Args>(decided: DecidedRequest<A>): Eventual<Enforcement> {
  const { allowed, delayMs, retryAfterMs } = decided.reservation;
  const waitMs = allowed ? delayMs : Number(retryAfterMs);
  return refused(decided, {}, Math.max(1, Math.ceil(waitMs / 1000)), { problem: () => REDUCED_CAPACITY });
}

/** Returns the fields of a refusal, after those of earlier policies that are still valid. */
function withRestated<A extends Args>({ restated, outdated }: DecidedRequest<A>, fields: Fields): Fields {
  if (!restated) return fields;
  const valid = Object.entries(restated).filter(([name]) => !outdated?.includes(name));
  return { ...Object.fromEntries(valid), ...fields };
}

/** Returns the fields of a refusal after this wait. */
function withRetryAfter<A extends Args>(
  { compiled, reservation, args }: DecidedRequest<A>,
  fields: Fields,
  seconds: number | undefined,
): Eventual<Fields> {
  const { retryAfter } = compiled.options;
  if (seconds === undefined) return fields;
  const waiting = { ...fields };
  for (const name of compiled.retryAfter) waiting[name] = String(seconds);
  if (typeof retryAfter !== 'function') return waiting;
  return whenReady(retryAfter(...args, reservation), (isSent) =>
    checkRetryAfter(isSent, 'retryAfter()') ? waiting : fields,
  );
}

/** What differs between refusals. */
interface Reason<A extends Args> {
  problem(): Eventual<Refusal>;
  readonly onLimitReached?: RequestOptions<A>['onLimitReached'];
}

function refused<A extends Args>(
  decided: DecidedRequest<A>,
  fields: Fields,
  seconds: number | undefined,
  { problem, onLimitReached }: Reason<A>,
): Eventual<Enforcement> {
  const { reservation, policies, args } = decided;
  const refuse = async (isAnswered: () => boolean): Promise<Refusal | undefined> => {
    if (onLimitReached) await onLimitReached(...args, reservation);
    if (isAnswered()) return undefined;
    const refusal = await refusalOf(decided, problem);
    return isAnswered() ? undefined : refusal;
  };
  return whenReady(policies.refuse(), () =>
    whenReady(withRetryAfter(decided, withRestated(decided, fields), seconds), (headers) => ({
      reservation,
      headers,
      delayMs: 0,
      refuse,
    })),
  );
}

/** Returns the policy's own `message`, or else the problem with the members that the policy adds. */
async function refusalOf<A extends Args>(
  { compiled, reservation, args }: DecidedRequest<A>,
  usual: Reason<A>['problem'],
): Promise<Refusal> {
  const { message, problem } = compiled.options;
  const refusal = await usual();
  if (message !== undefined) {
    const content = typeof message === 'function' ? await message(...args, reservation) : message;
    return customRefusal(checkMessage(content, 'message()'), refusal.status);
  }
  if (problem === undefined) return refusal;
  const members = typeof problem === 'function' ? await problem(...args, reservation) : problem;
  return withMembers(refusal, checkMembers(members, 'problem()'));
}

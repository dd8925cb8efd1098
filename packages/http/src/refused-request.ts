import { type Eventual, isPromise, whenReady } from '@sluice/core/src/values/eventual';
import type { DecidedRequest } from './decided-request.js';
import { constantText } from './headers/constant-text.js';
import type { HeaderItem } from './headers/item.js';
import { retryAfterSeconds } from './headers/retry-after.js';
import { checkMembers, checkMessage, checkRetryAfter, checkStatus } from './options.js';
import { abnormalUsage, customRefusal, quotaExceeded, REDUCED_CAPACITY, type Refusal, withMembers } from './problem.js';

type Args = readonly unknown[];

/** Refuses a request because a limit is reached. */
export function refuseByLimit<A extends Args>(decided: DecidedRequest<A>): Eventual<DecidedRequest<A>> {
  const { compiled, ownItems, args, reservation } = decided;
  const seconds = retryAfterSeconds(ownItems);
  const problem = (): Eventual<Refusal> => {
    const { statusCode } = compiled.options;
    if (typeof statusCode !== 'function') return limitProblem(ownItems, seconds, statusCode);
    return whenReady(statusCode(...args, reservation), (status) =>
      limitProblem(ownItems, seconds, checkStatus(status, 'statusCode()')),
    );
  };
  decided.refuse = (isAnswered) => {
    const { onLimitReached } = compiled.options;
    if (!onLimitReached) return refusal(decided, problem, isAnswered);
    return whenReady(onLimitReached(...args, reservation), () => refusal(decided, problem, isAnswered));
  };
  return refused(decided, seconds);
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
export function refuseWithoutStore<A extends Args>(decided: DecidedRequest<A>): Eventual<DecidedRequest<A>> {
  return refuseForCapacity(decided, 1);
}

/** Refuses a request that would have to wait, because enough others do. If it was admitted, it is given back. */
export function refuseWithoutRoom<A extends Args>(decided: DecidedRequest<A>): Eventual<DecidedRequest<A>> {
  const { allowed, delayMs, retryAfterMs } = decided.reservation;
  const waitMs = allowed ? delayMs : Number(retryAfterMs);
  return refuseForCapacity(decided, Math.max(1, Math.ceil(waitMs / 1000)));
}

function refuseForCapacity<A extends Args>(decided: DecidedRequest<A>, seconds: number): Eventual<DecidedRequest<A>> {
  decided.refuse = (isAnswered) => refusal(decided, () => REDUCED_CAPACITY, isAnswered);
  return refused(decided, seconds);
}

/** Gives back the charges of all policies, and then lets the fields say how long to wait. */
function refused<A extends Args>(decided: DecidedRequest<A>, seconds: number | undefined): Eventual<DecidedRequest<A>> {
  const cancelled = decided.policies.refuse();
  if (isPromise(cancelled)) return Promise.resolve(cancelled).then(() => sayWait(decided, seconds));
  return sayWait(decided, seconds);
}

function sayWait<A extends Args>(decided: DecidedRequest<A>, seconds: number | undefined): Eventual<DecidedRequest<A>> {
  const { retryAfter } = decided.compiled.options;
  if (seconds === undefined || typeof retryAfter !== 'function') {
    decided.waitSeconds = seconds;
    return decided;
  }
  return whenReady(retryAfter(...decided.args, decided.reservation), (isSent) => {
    if (checkRetryAfter(isSent, 'retryAfter()')) decided.waitSeconds = seconds;
    return decided;
  });
}

/** Returns the refusal to send, unless somebody answers before. */
function refusal<A extends Args>(
  decided: DecidedRequest<A>,
  problem: () => Eventual<Refusal>,
  isAnswered: () => boolean,
): Eventual<Refusal | undefined> {
  if (isAnswered()) return undefined;
  const content = contentOf(decided, problem());
  if (!isPromise(content)) return isAnswered() ? undefined : content;
  return Promise.resolve(content).then((ready) => (isAnswered() ? undefined : ready));
}

/** Returns the policy's own `message`, or else the problem with the members that the policy adds. */
function contentOf<A extends Args>(
  { compiled, reservation, args }: DecidedRequest<A>,
  usual: Eventual<Refusal>,
): Eventual<Refusal> {
  const { message, problem } = compiled.options;
  if (message === undefined && problem === undefined) return usual;
  return whenReady(usual, (refusal) => {
    if (message !== undefined) {
      const content = typeof message === 'function' ? message(...args, reservation) : message;
      return whenReady(content, (own) => customRefusal(checkMessage(own, 'message()'), refusal.status));
    }
    const members = typeof problem === 'function' ? problem(...args, reservation) : problem;
    return whenReady(members, (own) => withMembers(refusal, checkMembers(own, 'problem()')));
  });
}

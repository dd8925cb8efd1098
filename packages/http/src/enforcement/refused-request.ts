import { type Eventual, isPromise, whenReady } from '@sluice/core/src/values/eventual';
import { constantText } from '../headers/constant-text.js';
import type { HeaderItem } from '../headers/item.js';
import { retryAfterSeconds } from '../headers/retry-after.js';
import {
  abnormalUsage,
  customRefusal,
  quotaExceeded,
  REDUCED_CAPACITY,
  type Refusal,
  withMembers,
} from '../refusals/problem.js';
import { checkMembers, checkMessage, checkRetryAfter, checkStatus } from '../refusals/refusal-checks.js';
import type { CountedEnforcement } from './enforcement.js';

type Args = readonly unknown[];

/** Refuses a request because a limit is reached. */
export function refuseByLimit<A extends Args>(enforcement: CountedEnforcement<A>): Eventual<CountedEnforcement<A>> {
  const { compiled, ownItems, args, reservation } = enforcement;
  const seconds = retryAfterSeconds(ownItems);
  const problem = (): Eventual<Refusal> => {
    const { statusCode } = compiled.options;
    if (typeof statusCode !== 'function') return limitProblem(ownItems, seconds, statusCode);
    return whenReady(statusCode(...args, reservation), (status) =>
      limitProblem(ownItems, seconds, checkStatus(status, 'statusCode()')),
    );
  };
  enforcement.refuse = (isAnswered) => {
    const { onLimitReached } = compiled.options;
    if (!onLimitReached) return refusal(enforcement, problem, isAnswered);
    return whenReady(onLimitReached(...args, reservation), () => refusal(enforcement, problem, isAnswered));
  };
  return refused(enforcement, seconds);
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
export function refuseWithoutStore<A extends Args>(
  enforcement: CountedEnforcement<A>,
): Eventual<CountedEnforcement<A>> {
  return refuseForCapacity(enforcement, 1);
}

/** Refuses a request that would have to wait, because enough others do. If it was admitted, it is given back. */
export function refuseWithoutRoom<A extends Args>(enforcement: CountedEnforcement<A>): Eventual<CountedEnforcement<A>> {
  const { allowed, delayMs, retryAfterMs } = enforcement.reservation;
  const waitMs = allowed ? delayMs : Number(retryAfterMs);
  return refuseForCapacity(enforcement, Math.max(1, Math.ceil(waitMs / 1000)));
}

function refuseForCapacity<A extends Args>(
  enforcement: CountedEnforcement<A>,
  seconds: number,
): Eventual<CountedEnforcement<A>> {
  enforcement.refuse = (isAnswered) => refusal(enforcement, () => REDUCED_CAPACITY, isAnswered);
  return refused(enforcement, seconds);
}

/** Gives back the charges of all policies, and then lets the fields say how long to wait. */
function refused<A extends Args>(
  enforcement: CountedEnforcement<A>,
  seconds: number | undefined,
): Eventual<CountedEnforcement<A>> {
  const cancelled = enforcement.policies.refuse();
  if (isPromise(cancelled)) return Promise.resolve(cancelled).then(() => sayWait(enforcement, seconds));
  return sayWait(enforcement, seconds);
}

function sayWait<A extends Args>(
  enforcement: CountedEnforcement<A>,
  seconds: number | undefined,
): Eventual<CountedEnforcement<A>> {
  const { retryAfter } = enforcement.compiled.options;
  if (seconds === undefined || typeof retryAfter !== 'function') {
    enforcement.waitSeconds = seconds;
    return enforcement;
  }
  return whenReady(retryAfter(...enforcement.args, enforcement.reservation), (isSent) => {
    if (checkRetryAfter(isSent, 'retryAfter()')) enforcement.waitSeconds = seconds;
    return enforcement;
  });
}

/** Returns the refusal to send, unless somebody answers before. */
function refusal<A extends Args>(
  enforcement: CountedEnforcement<A>,
  problem: () => Eventual<Refusal>,
  isAnswered: () => boolean,
): Eventual<Refusal | undefined> {
  if (isAnswered()) return undefined;
  const content = contentOf(enforcement, problem());
  if (!isPromise(content)) return isAnswered() ? undefined : content;
  return Promise.resolve(content).then((ready) => (isAnswered() ? undefined : ready));
}

/** Returns the policy's own `message`, or else the problem with the members that the policy adds. */
function contentOf<A extends Args>(
  { compiled, reservation, args }: CountedEnforcement<A>,
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

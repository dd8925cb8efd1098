import type { Limit } from '@sluice/core';

// The lines of the channel. Each is a list in JSON. What costs time is how many values a list has, and how deep they lie: so the calls of a
// batch, and their answers, are one flat list, and what most of them have in common is not written.
//
// A batch: [new limits, then in any order:
//   the number of a limit, key                                   (a call that spends 1 unit of one limit, as most do)
//   or SPEND, the number of checks, then of each check: the number of its limit, key, cost
//   or ANY_CALL, the method, its argument
//   or TIME, the deadline of the calls that spend after it: it is looked at once for all of them]
// Its answers: [in the order of the calls:
//   remaining, resetAfterMs                                      (1 unit of one limit was spent, the rest of the quota is used, and nobody has to wait)
//   or SPEND, whether it is allowed, then of each check: six fields of its verdict
//   or RESULT, the result
//   or FAILED, the error
//   and before an answer, if it is another one than before it: TIME, the time of the decision]
//
// A limit is sent once in a connection, with its policy and its name. From then on, its number stands for it.

/** The version of these lines, which the first line of a connection names. */
const VERSION = 3;

/** More limits than an application has. Any further one is sent with each call. */
export const MOST_LIMITS = 1000;

// What stands in the place of a number that is at least 0.
export const TIME = -1;
export const SPEND = -2;
export const ANY_CALL = -3;
export const RESULT = -4;
export const FAILED = -5;

/** How many fields of a verdict are sent. */
export const FIELDS = 6;

/** A limit as it is sent: its policy, its name in the policy, and itself. */
export type SentLimit = readonly [policy: string, name: string, limit: Limit];

/** The first line of each side. The primary adds the time of its store. */
export const greeting = (atMs?: number): string => `${JSON.stringify([VERSION, atMs])}\n`;

/** Returns the store's time in the first line of a primary; undefined if its version is another one. */
export function greeted(line: string): number | undefined {
  const [version, atMs] = JSON.parse(line) as [version: unknown, atMs: number | null];
  return version === VERSION ? (atMs ?? 0) : undefined;
}

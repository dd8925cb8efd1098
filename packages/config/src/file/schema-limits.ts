import { boolean, literal, maxValue, minValue, number, optional, picklist, pipe, strictObject, union } from 'valibot';
import { DURATION, duration, durationMessage, text, time, whole } from './schema-values.js';

/** Limits of every algorithm, as a policy file writes them. A message is the rule that a value breaks, as it follows the path. */

const CALENDAR = ', or a calendar window such as { unit: day, timeZone: UTC }';
export const calendarWindow = strictObject(
  {
    unit: picklist(['hour', 'day', 'week', 'month'], 'must be hour, day, week or month'),
    timeZone: text('must be the name of a time zone, such as Europe/Rome'),
  },
  DURATION + CALENDAR,
);

export const blockDuration = union(
  [
    ...duration.options,
    strictObject(
      {
        first: duration,
        factor: optional(
          pipe(
            number('must be a number from 1.1 to 1,000'),
            minValue(1.1, 'must be a number from 1.1 to 1,000'),
            maxValue(1000, 'must be a number from 1.1 to 1,000'),
          ),
        ),
        max: duration,
        forget: optional(duration),
      },
      DURATION,
    ),
  ],
  (issue) => `${durationMessage(issue)}, or a growing one such as { first: 1m, max: 1h }`,
);

const rate = pipe(number('must be a number of at least 0'), minValue(0, 'must be a number of at least 0'));

/** The algorithms that a file can name. */
export const ALGORITHM_NAMES = [
  'sliding-window',
  'sliding-window-log',
  'sliding-window-counter',
  'fixed-window',
  'token-bucket',
  'leaky-bucket',
  'concurrency',
  'unlimited',
] as const;

/** The words of a limit of any algorithm. */
export const limitWords = {
  algorithm: optional(picklist(ALGORITHM_NAMES, `must be one of ${ALGORITHM_NAMES.join(', ')}`)),
  limit: optional(whole(0)),
  window: optional(union([...duration.options, calendarWindow], (issue) => durationMessage(issue) + CALENDAR)),
  buckets: optional(whole(1, 1000)),
  align: optional(picklist(['first-request', 'clock'], 'must be first-request or clock')),
  capacity: optional(whole(0)),
  refillRate: optional(rate),
  refillInterval: optional(duration),
  keepFor: optional(duration),
  leakRate: optional(rate),
  immediate: optional(whole(0)),
  lease: optional(duration),
  countRejected: optional(union([boolean(), literal('always')], "must be true, false or 'always'")),
  blockDuration: optional(blockDuration),
};

const LIMIT = 'must be a mapping such as { limit: 100, window: 1m }, or the word unlimited';
export const limit = union([literal('unlimited', LIMIT), strictObject(limitWords, LIMIT)], LIMIT);

export const override = strictObject(
  { ...limitWords, until: optional(time), reason: optional(text()) },
  'must be a mapping such as { limit: 1200, until: 2026-12-01T00:00:00Z, reason: launch week }',
);

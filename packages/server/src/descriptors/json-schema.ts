import { show } from '@sluice/core/values';
import * as v from 'valibot';
import { exactObject, must } from '../input/exact-object.js';

const text = v.nullish(v.string(must('be text')));
const flag = v.nullish(v.boolean(must('be true or false')));
const DIGITS = /^\d{1,20}$/;

/** A number of protobuf's JSON form: a number, or its digits as text. */
function units(most: number, rule: string) {
  const isUnits = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= most;
  return v.nullish(
    v.pipe(
      v.union([v.number(), v.pipe(v.string(), v.regex(DIGITS), v.transform(Number))], must(rule)),
      v.check(isUnits, ({ input }) => `must ${rule}, got ${show(input)}`),
    ),
  );
}

const hits = units(0xffff_ffff, 'be a whole number from 0 to 4294967295');
/** A larger one is refused with the descriptor. */
const descriptorHits = units(2 ** 64, 'be a whole number of at least 0');

const entry = exactObject({ key: text, value: text });

const descriptor = exactObject({
  entries: v.nullish(v.array(entry, must('be a list of entries'))),
  limit: v.nullish(v.unknown()),
  hitsAddend: descriptorHits,
  hits_addend: descriptorHits,
  isNegativeHits: flag,
  is_negative_hits: flag,
});

/**
 * The body of `POST /json`: a `RateLimitRequest` in protobuf's JSON form, which takes names as in the `.proto` file and in camel
 * case, and null for what is absent.
 */
export const JsonRateLimitRequest = exactObject({
  domain: text,
  descriptors: v.nullish(v.array(descriptor, must('be a list of descriptors'))),
  hitsAddend: hits,
  hits_addend: hits,
});

/** A checked body of `POST /json`. */
export type JsonRateLimitRequest = v.InferOutput<typeof JsonRateLimitRequest>;

import type { Decision, Verdict } from '@sluice/core';
import * as v from 'valibot';

const ms = v.pipe(v.number(), v.integer(), v.minValue(0));
const wait = v.union([ms, v.literal('never')]);
const units = v.pipe(v.number(), v.integer());

const limit = v.pipe(
  v.looseObject({
    algorithm: v.string(),
    quota: v.pipe(units, v.description('Units per window, units in a full bucket, or slots.')),
    windowMs: v.exactOptional(ms),
  }),
  v.title('Limit'),
  v.description('The numbers of a limit. Algorithms have further members.'),
);

/** The result of one limit. */
export const verdictAnswer = v.pipe(
  v.looseObject({
    name: v.pipe(v.string(), v.description('The name of the limit.')),
    limit,
    cost: units,
    allowed: v.pipe(v.boolean(), v.description('Whether this limit alone allows the request.')),
    remaining: v.pipe(units, v.description('Units that are available now.')),
    used: units,
    resetAfterMs: v.pipe(wait, v.description('Milliseconds until the key is back to its full quota.')),
    retryAfterMs: v.pipe(wait, v.description('Milliseconds until this limit would allow the same request.')),
    delayMs: ms,
    shadow: v.exactOptional(v.pipe(v.literal(true), v.description('The limit is checked, but does not refuse.'))),
    blocked: v.exactOptional(v.pipe(v.literal(true), v.description('The key is blocked by hand.'))),
  }),
  v.title('Verdict'),
);

/** A problem, as RFC 9457 has it. */
export const problemDocument = v.pipe(
  v.looseObject({
    type: v.string(),
    title: v.string(),
    status: v.pipe(v.number(), v.integer()),
    detail: v.exactOptional(v.string()),
    'violated-policies': v.exactOptional(v.array(v.string())),
    errors: v.exactOptional(
      v.pipe(
        v.array(
          v.object({
            detail: v.string(),
            pointer: v.exactOptional(v.pipe(v.string(), v.description('A JSON pointer into the body (RFC 6901).'))),
            parameter: v.exactOptional(v.pipe(v.string(), v.description('The part of the URL that is wrong.'))),
            header: v.exactOptional(v.pipe(v.string(), v.description('The header field that is wrong.'))),
          }),
        ),
        v.description('The mistakes of the request: as many as fit into 1 KB.'),
      ),
    ),
  }),
  v.title('Problem'),
  v.description('Problem details (RFC 9457).'),
);

/** The answer for one decision. */
export const decisionAnswer = v.pipe(
  v.strictObject({
    allowed: v.boolean(),
    policy: v.string(),
    revision: v.pipe(v.string(), v.description('The revision of the policy file that decided.')),
    retryAfterMs: v.pipe(
      wait,
      v.description('0 if the request is allowed. Otherwise milliseconds until it would be, or `never`.'),
    ),
    delayMs: v.exactOptional(v.pipe(ms, v.description('Milliseconds that the request has to wait for its turn.'))),
    source: v.pipe(
      v.picklist(['store', 'local', 'allow', 'deny', 'none']),
      v.description(
        'Who decided: the store; `local`, `allow` or `deny` if it failed, as `onStoreError` says; `none` if no limit was asked.',
      ),
    ),
    verdicts: v.pipe(v.array(verdictAnswer), v.description('One for each limit, in the order of the policy.')),
    headers: v.pipe(v.record(v.string(), v.string()), v.description('The header fields for the response.')),
    problem: v.exactOptional(problemDocument),
    reservation: v.exactOptional(
      v.pipe(
        v.strictObject({
          token: v.pipe(v.string(), v.description('Names the reservation in the URL that settles it.')),
          expiresInMs: v.pipe(ms, v.description('How long it can be settled.')),
        }),
        v.description('Only with `reserve`, if the request is allowed and something was charged.'),
      ),
    ),
  }),
  v.title('Decision'),
);

/** The answer for one decision, as a type. */
export interface DecisionAnswer {
  readonly allowed: boolean;
  readonly policy: string;
  readonly revision: string;
  readonly retryAfterMs: number | 'never';
  readonly delayMs?: number;
  readonly source: Decision['source'] | 'none';
  readonly verdicts: readonly Verdict[];
  readonly headers: Readonly<Record<string, string>>;
  readonly problem?: object;
  readonly reservation?: { readonly token: string; readonly expiresInMs: number };
}

/** The place of a decision of a list that could not be made. Nothing was spent for it. */
export const failedDecision = v.pipe(
  v.strictObject({ policy: v.string(), error: problemDocument }),
  v.title('FailedDecision'),
  v.description('One decision of a list that could not be made. Nothing was spent for it; the others stand.'),
);

/** A decision of a list that could not be made. */
export interface FailedDecision {
  readonly policy: string;
  readonly error: object;
}

/** The answer to a correction. */
export const correctionAnswer = v.pipe(
  v.strictObject({
    policy: v.string(),
    result: v.pipe(
      v.picklist(['applied', 'repeated']),
      v.description('`repeated` if the reservation was settled or cancelled before. Nothing was changed then.'),
    ),
  }),
  v.title('Correction'),
);

/** The answer to a correction, as a type. */
export type CorrectionAnswer = v.InferOutput<typeof correctionAnswer>;

import { isIP } from 'node:net';
import { durationMs } from '@sluice/core/values';
import * as v from 'valibot';
import { exactObject, MOST_MEMBERS, must, mustSecretly, noList, shortList } from '../input/exact-object.js';

/** The most decisions of one request. */
export const MOST_DECISIONS = 1000;

/** How long a reservation can be settled, if the caller does not say. */
const DEFAULT_EXPIRES = '10m';

const LEAST_EXPIRES_MS = 1000;

/** A store remembers for a day at most that a reservation was settled. */
const MOST_EXPIRES_MS = 86_400_000;

const LONGEST_VALUE = 8192;

const fieldValue = v.pipe(
  v.string(mustSecretly('be text')),
  v.maxLength(LONGEST_VALUE, mustSecretly(`have at most ${LONGEST_VALUE} characters`)),
);

const fieldName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, 'must be the name of a header field, of at most 128 characters'),
);

const headers = v.pipe(
  noList(
    v.record(
      fieldName,
      v.union(
        [fieldValue, v.pipe(shortList(v.array(fieldValue), MOST_MEMBERS), v.minLength(1), v.maxLength(MOST_MEMBERS))],
        mustSecretly(`be text of at most ${LONGEST_VALUE} characters, or a list of such texts`),
      ),
      must('be an object of header fields'),
    ),
  ),
  v.description('The header fields that the policy may read. Names may be written in any case, each once.'),
);

const path = v.pipe(
  v.string(must('be text')),
  v.regex(/^(?:\*|\/[!-~\u0080-\uffff]*)$/, must('begin with a slash, without spaces and control characters')),
  v.maxLength(LONGEST_VALUE, `must have at most ${LONGEST_VALUE} characters`),
  v.description('The path of the URL, with its query if a policy needs it.'),
);

const method = v.pipe(
  v.string(must('be text')),
  v.regex(/^[A-Z][A-Z-]{0,31}$/, must('be a method in upper case, such as GET')),
);

const address = v.pipe(
  v.string(must('be an IP address')),
  v.check((text) => isIP(text) !== 0, must('be an IP address')),
  v.description('The IPv4 or IPv6 address of the client. Policies that count by address need it.'),
);

const describedRequest = v.pipe(
  exactObject({
    method: v.exactOptional(method, 'GET'),
    path: v.exactOptional(path, '/'),
    headers: v.exactOptional(headers),
    address: v.exactOptional(address),
  }),
  v.description('The request to decide about, as far as the policy reads it.'),
);

/** How many parts a compound key may have. */
const MOST_PARTS = 8;

const KEY_PART = mustSecretly('be text of 1 to 1,024 characters, or a number');
const KEY = mustSecretly('be text of 1 to 1,024 characters, a number, or a list of at most 8 of them');

const keyPart = v.union(
  [v.pipe(v.string(), v.minLength(1, KEY_PART), v.maxLength(1024, KEY_PART)), v.pipe(v.number(), v.finite(KEY_PART))],
  KEY_PART,
);

const keys = v.pipe(
  noList(
    v.record(
      v.pipe(v.string(), v.minLength(1), v.maxLength(128)),
      v.union(
        [keyPart, v.pipe(shortList(v.array(keyPart), MOST_PARTS), v.minLength(1, KEY), v.maxLength(MOST_PARTS, KEY))],
        KEY,
      ),
      must('be an object of keys'),
    ),
  ),
  v.description('The values of the keys that the policy file takes from code (`from: code`), by their names.'),
);

const cost = v.pipe(
  v.number(must('be a whole number of at least 0')),
  v.safeInteger(must('be a whole number of at least 0')),
  v.minValue(0, must('be a whole number of at least 0')),
);

const id = v.pipe(
  v.string(must('be text')),
  v.regex(/^[\x21-\x7e]{1,128}$/, must('be 1 to 128 visible ASCII characters')),
  v.description(
    'Names the operation. The same call with the same id within 10 seconds gets the first decision again, and is charged once.',
  ),
);

const EXPIRES = "be a duration from 1 s to 1 day, in whole milliseconds or as '10m'";

const expires = v.pipe(
  v.union([v.string(), v.number()], must(EXPIRES)),
  v.check(isExpiry, must(EXPIRES)),
  v.description('Only with `reserve`: how long the reservation can be settled. Its charge stays after that.'),
);

/** The request for one decision. */
export const decisionRequest = v.pipe(
  exactObject({
    policy: v.pipe(v.string(must('be the name of a policy')), v.description('The name of a policy of the file.')),
    kind: v.pipe(
      v.exactOptional(v.picklist(['consume', 'peek', 'reserve'], must("be 'consume', 'peek' or 'reserve'")), 'consume'),
      v.description(
        '`consume` spends. `peek` returns the decision that the request would get, and spends nothing. `reserve` spends, and returns a reservation whose cost can be corrected once.',
      ),
    ),
    request: v.exactOptional(describedRequest),
    keys: v.exactOptional(keys),
    tier: v.exactOptional(
      v.pipe(
        v.string(must('be the name of a tier')),
        v.minLength(1, must('be the name of a tier')),
        v.maxLength(128, must('be the name of a tier')),
        v.description('The tier, if the policy takes it from code.'),
      ),
    ),
    cost: v.exactOptional(v.pipe(cost, v.description('Replaces the cost that the policy would count.'))),
    id: v.exactOptional(id),
    expires: v.exactOptional(expires, DEFAULT_EXPIRES),
  }),
  v.title('DecisionRequest'),
);

/** A checked request for one decision. */
export type DecisionRequest = v.InferOutput<typeof decisionRequest>;

/** The amounts of a settlement. */
export const settleRequest = v.pipe(
  exactObject({
    actual: v.exactOptional(
      v.pipe(
        v.union(
          [cost, noList(v.record(v.string(), cost))],
          must('be a whole number of at least 0, or an object with such a number for each limit that is named'),
        ),
        v.description(
          'The real cost: a number for every limit without its own cost, or an object with the cost of each limit by its name. Without it the charge stays as it is.',
        ),
      ),
    ),
  }),
  v.title('SettleRequest'),
);

/** A checked settlement. */
export type SettleRequest = v.InferOutput<typeof settleRequest>;

/** A cancellation has no body, or an empty object. */
export const cancelRequest = v.pipe(exactObject({}), v.title('CancelRequest'));

function isExpiry(value: string | number): boolean {
  try {
    const ms = durationMs(value, 'expires');
    return ms >= LEAST_EXPIRES_MS && ms <= MOST_EXPIRES_MS;
  } catch {
    return false;
  }
}

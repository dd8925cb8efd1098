import { REDUCED_CAPACITY, type Refusal } from '@sluice/http/refusals/problem';

/** The refusal of a request that a busy process has no time for. Everything of it is made before. */
export interface ShedRefusal extends Refusal {
  readonly headers: Refusal['headers'] & Readonly<Record<'Retry-After' | 'Content-Length', string>>;
}

/** Clients that came together should not come back together. */
const WAITS_SECONDS = [1, 2, 3];

const refusals: readonly ShedRefusal[] = WAITS_SECONDS.map((seconds) => {
  const headers = Object.freeze({
    ...REDUCED_CAPACITY.headers,
    'Retry-After': String(seconds),
    'Content-Length': String(new TextEncoder().encode(REDUCED_CAPACITY.body).length),
  });
  return Object.freeze({ ...REDUCED_CAPACITY, headers });
});

let turn = 0;

/**
 * Returns the refusal of one request: the problem type of draft-ietf-httpapi-ratelimit-headers-11 section 5.2, and a
 * `Retry-After` of 1 to 3 s. All three are taken in turn. A number that nobody can foresee would take as long as all else that is
 * decided about a refusal, and these need not be secret.
 *
 * @param random - returns numbers from 0 to below 1, which choose in place of the turn
 */
export function shedRefusal(random: (() => number) | undefined): ShedRefusal {
  turn = (turn + 1) % refusals.length;
  const index = random ? Math.floor(random() * refusals.length) : turn;
  return (refusals[index] ?? refusals[0]) as ShedRefusal;
}

import type { Dialect } from '../dialects/dialect.js';
import { type MemberPath, memberAt } from '../dialects/member-path.js';
import { isObject, isStated, type JsonObject } from '../json-object.js';
import type { BodyChange } from './body-change.js';
import { LlmCallError } from './call-error.js';

/**
 * Returns the largest cap that a body states, for one choice; undefined if it has none of its dialect: a provider that ignores the
 * others makes as much as it wants. Of several the largest counts, because no two servers agree on which of them they read.
 *
 * @throws LlmCallError if a cap is no whole number of at least 0
 */
export function outputCapOf(body: JsonObject, { caps, raisesCap, mediaRate, addsNoCap }: Dialect): number | undefined {
  if (caps.length === 0) return mediaRate || addsNoCap ? undefined : 0;
  const stated = [...caps, ...raisesCap].map((path) => wholeNumber(body, path, 0)).filter((cap) => cap !== undefined);
  return caps.some((path) => isStated(memberAt(body, path))) ? Math.max(...stated) : undefined;
}

/**
 * Returns the changes by which a body has a cap, and none above `most`, those of other dialects included: a server may read them.
 * Undefined changes nothing.
 */
export function capChanges(
  body: JsonObject,
  { caps, raisesCap, addsNoCap }: Pick<Dialect, 'caps' | 'raisesCap' | 'addsNoCap'>,
  most: number | undefined,
): readonly BodyChange[] {
  if (most === undefined) return [];
  const stated = caps.filter((path) => typeof memberAt(body, path) === 'number');
  const paths = stated.length === 0 && !addsNoCap ? addedCap(body, caps) : stated;
  const others = raisesCap.filter((path) => Number(memberAt(body, path)) > most);
  return [
    ...paths.map((path) => ({ path, value: Math.min(most, Number(memberAt(body, path) ?? most)) })),
    ...others.filter((path) => !paths.some((own) => own.join() === path.join())).map((path) => ({ path, value: most })),
  ];
}

/**
 * Returns where a cap is added: the first place, or that of another spelling if the body has the object for it. A server that gets both
 * objects may read the one without a cap.
 */
function addedCap(body: JsonObject, caps: readonly MemberPath[]): readonly MemberPath[] {
  const added = caps.find((path) => path.length === 1 || isObject(memberAt(body, path.slice(0, -1)))) ?? caps[0];
  return added ? [added] : [];
}

/**
 * Returns how many answers the provider makes: for each prompt of the body, as many as the caller wants.
 *
 * @throws LlmCallError if a number of answers is no whole number of at least 1
 */
export function choicesOf(body: JsonObject, { choices, prompts }: Dialect): number {
  const wanted = choices.map((path) => wholeNumber(body, path, 1) ?? 1);
  return times(Math.max(1, ...wanted), prompts?.(body) ?? 1);
}

/** A product that stays a whole number. */
export function times(a: number, b: number): number {
  return Math.min(a * b, Number.MAX_SAFE_INTEGER);
}

function wholeNumber(body: JsonObject, path: MemberPath, least: number): number | undefined {
  const value = memberAt(body, path);
  if (!isStated(value)) return undefined;
  if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
  throw new LlmCallError(path.join('.'), `must be a whole number of at least ${least}`, value);
}

// Why it is so: docs/why/margins-and-guarantees.md

import type { Verdict } from '../values/decision.js';
import { SluiceError } from '../values/error.js';
import type { LimitCheck, StoreRequest, StoreVerdict } from './store.js';

/** A request or a change. */
type Asked = Pick<StoreRequest, 'checks' | 'atLeast' | 'renew'>;

/** A response to one of them. */
interface Answered {
  readonly verdicts: readonly StoreVerdict[];
}

/**
 * Returns the request or change as a store counts it: the guaranteed parts of a limit are listed as checks, right before the check of
 * the limit. Returns the same object if no limit has parts. `nestParts` turns the response back.
 *
 * @throws SluiceError `SLUICE_UNSUPPORTED` if a limit with parts cannot be decided in this request, or if a part is no shadow check
 */
export function listParts<T extends Asked>(asked: T): T {
  const { checks } = asked;
  for (let i = 0; i < checks.length; i += 1) {
    if (checks[i]?.parts !== undefined) return { ...asked, checks: checks.flatMap((check) => withParts(check, asked)) };
  }
  return asked;
}

/** Returns the response to what was asked, from the response to what `listParts` made of it. */
export function nestParts<R extends Answered>({ checks }: Asked, response: R): R {
  const { verdicts: listed } = response;
  // Outside the boundaries of a calendar there are no verdicts.
  if (listed.length === 0 || listed.length === checks.length) return response;
  let index = -1;
  const verdicts = checks.map((check): StoreVerdict => {
    index += check.parts === undefined ? 1 : 3;
    const verdict = listed[index] as Verdict;
    if (check.parts === undefined) return verdict;
    const [own, all] = partsBefore<Verdict>(listed, index);
    return { ...verdict, parts: { own, all } };
  });
  return { ...response, verdicts };
}

/** Returns what belongs to the parts of a limit, from a list of what belongs to listed checks, and the place of the limit there. */
export function partsBefore<T>(listed: readonly T[], index: number): readonly [own: T, all: T] {
  return [listed[index - 2] as T, listed[index - 1] as T];
}

function withParts(check: LimitCheck, asked: Asked): readonly LimitCheck[] {
  const { parts, name } = check;
  if (parts === undefined) return [check];
  const { own, all } = parts;
  if (asked.atLeast !== undefined || asked.renew)
    throw unsupported(name, 'a request about it must not have atLeast or renew');
  if (!own.shadow || !all.shadow) throw unsupported(name, 'both must be shadow checks');
  return [own, all, check];
}

function unsupported(name: string, rule: string): SluiceError {
  return new SluiceError('SLUICE_UNSUPPORTED', `the limit ${JSON.stringify(name)} has guaranteed parts, so ${rule}`);
}

/** Returns the checks that an allowed check was charged on, each by itself: its parts, if they were spent, and the check. */
export function chargedChecks(check: LimitCheck, verdict: StoreVerdict): readonly LimitCheck[] {
  if (check.parts === undefined) return [check];
  const { parts, ...alone } = check;
  return verdict.parts?.own.allowed ? [parts.own, parts.all, alone] : [alone];
}

/** Returns a check with other values of some fields, and its parts with other values of theirs. */
export function changedCheck<C extends LimitCheck>(check: C, fieldsOf: (check: LimitCheck) => ChangedFields): C {
  const changed = { ...check, ...fieldsOf(check) };
  if (check.parts === undefined) return changed;
  const { own, all, lend } = check.parts;
  return { ...changed, parts: { own: { ...own, ...fieldsOf(own) }, all: { ...all, ...fieldsOf(all) }, lend } };
}

type ChangedFields = Partial<Pick<LimitCheck, 'limit' | 'cost' | 'margin' | 'calendarBoundsMs'>>;

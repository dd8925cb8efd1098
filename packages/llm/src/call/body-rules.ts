// Why it is so: core/docs/why/budgets-of-models.md

import { checkOptions, checkWhole, optionError } from '@sluice/core/values';
import { type MemberPath, memberAt, withMember } from '../dialects/member-path.js';
import { isObject, isStated, type JsonObject } from '../json-object.js';
import { kindsOf } from './billed-work.js';
import type { BodyChange } from './body-change.js';
import { LlmCallError } from './call-error.js';

/** A value that a rule names. */
type Scalar = string | number | boolean;

/**
 * What happens to a member of the body of a call.
 *
 * - `'allow'`: any value passes, also one that is refused by default because it has no price
 * - `'forbid'`: the call is refused if it has the member
 * - `{ allow, forbid }`: the same for some values. Of a list, such as `tools` or `modalities`, each element is looked at; an object
 *   counts by its `type`, without the date at its end
 * - `{ force }`: the member is sent with this value, whatever the caller has stated
 * - `{ cap }`: a larger number is lowered to this one
 */
export type BodyRule =
  | 'allow'
  | 'forbid'
  | {
      /** The values that pass, also those that are refused by default. */
      readonly allow?: readonly Scalar[];
      /** The values with which the call is refused. */
      readonly forbid?: readonly Scalar[];
    }
  | {
      /** The value that is sent. */
      readonly force: Scalar;
    }
  | {
      /** The largest number that is sent: a whole number of at least 0. */
      readonly cap: number;
    };

/** Rules by the paths of members: `service_tier`, `reasoning.effort`, `tools[web_search].max_uses`. */
export type BodyRules = Readonly<Record<string, BodyRule>>;

/** A rule whose place is known. */
interface PlacedRule {
  readonly path: MemberPath;
  /** For members of the elements of a list: which elements, and which member. */
  readonly within?: { readonly type: string | undefined; readonly member: string };
  readonly rule: BodyRule;
}

/** Rules that were checked. */
export type CheckedRules = ReadonlyMap<string, PlacedRule>;

/** `tools[web_search].max_uses`, `tools[].max_uses`. */
const IN_LIST = /^([A-Za-z_]\w*)\[(\w*)\]\.([A-Za-z_]\w*)$/;
const PLAIN = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;

/** Members that decide which answer the client gets. To change them would break it. */
const KEPT: ReadonlySet<string> = new Set(['model', 'stream', 'messages', 'input', 'prompt', 'contents', 'system']);

/**
 * Checks the option `body`.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkedRules(rules: BodyRules = {}): CheckedRules {
  if (!isObject(rules) || Array.isArray(rules))
    throw optionError(
      'body',
      'must be an object of rules by members, such as { service_tier: { force: "default" } }',
      rules,
    );
  return new Map(Object.entries(rules).map(([name, rule]) => [name, placed(name, rule)]));
}

function placed(name: string, rule: BodyRule): PlacedRule {
  const [, list, type, member] = IN_LIST.exec(name) ?? [];
  if (list === undefined && !PLAIN.test(name))
    throw optionError(
      `body["${name}"]`,
      'must name a member, such as service_tier, reasoning.effort or tools[web_search].max_uses',
      rule,
    );
  checkRule(rule, PLAIN.test(name) ? `body.${name}` : `body["${name}"]`);
  if (list === undefined) {
    const path = name.split('.') as [string, ...string[]];
    if (isObject(rule) && ('force' in rule || 'cap' in rule) && KEPT.has(path[0]))
      throw optionError(`body.${name}`, 'must not be changed: it decides what the caller gets', rule);
    return { path, rule };
  }
  return { path: [list], within: { type: type === '' ? undefined : type, member: member as string }, rule };
}

function checkRule(rule: unknown, path: string): void {
  if (rule === 'allow' || rule === 'forbid') return;
  const actions = isObject(rule) && !Array.isArray(rule) ? Object.keys(rule) : [];
  if (
    actions.length === 0 ||
    (actions.length > 1 && !actions.every((action) => action === 'allow' || action === 'forbid'))
  )
    throw optionError(
      path,
      'must be "allow", "forbid", { force }, { cap }, or { allow, forbid } with lists of values',
      rule,
    );
  checkOptions(rule as object, ['allow', 'forbid', 'force', 'cap'], path);
  const { allow, forbid, force, cap } = rule as Readonly<Record<string, unknown>>;
  for (const [action, values] of Object.entries({ allow, forbid }))
    if (values !== undefined && !(Array.isArray(values) && values.every(isScalar)))
      throw optionError(`${path}.${action}`, 'must be a list of text, numbers or booleans', values);
  if ('force' in (rule as object) && !isScalar(force))
    throw optionError(`${path}.force`, 'must be text, a number or a boolean', force);
  if (cap !== undefined) checkWhole(cap, `${path}.cap`);
}

function isScalar(value: unknown): value is Scalar {
  return (
    typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
  );
}

/**
 * Returns the changes that the rules make to a body.
 *
 * @throws LlmCallError that names the member that a rule forbids
 */
export function ruledChanges(rules: CheckedRules, body: unknown): readonly BodyChange[] {
  if (!isObject(body) || Array.isArray(body)) return [];
  return [...rules.values()].reduce<{ readonly body: JsonObject; readonly changes: readonly BodyChange[] }>(
    (before, rule) => {
      const change = changeOf(rule, before.body);
      if (!change) return before;
      return { body: withMember(before.body, change.path, change.value), changes: [...before.changes, change] };
    },
    { body, changes: [] },
  ).changes;
}

function changeOf({ path, within, rule }: PlacedRule, body: JsonObject): BodyChange | undefined {
  const value = memberAt(body, path);
  if (!within) {
    const ruled = ruledValue(rule, value, path.join('.'), false);
    return ruled === value ? undefined : { path, value: ruled };
  }
  if (!Array.isArray(value)) return undefined;
  const elements = value.map((element: unknown, i) => {
    if (!isObject(element) || (within.type !== undefined && !kindsOf(element).includes(within.type))) return element;
    const before = element[within.member];
    const ruled = ruledValue(rule, before, `${path[0]}[${i}].${within.member}`, within.type !== undefined);
    return ruled === before ? element : { ...element, [within.member]: ruled };
  });
  return elements.some((element, i) => element !== value[i]) ? { path, value: elements } : undefined;
}

/**
 * Returns the value that a member is sent with.
 *
 * @param isAdded - whether a cap also bounds an element that states none
 */
function ruledValue(rule: BodyRule, value: unknown, field: string, isAdded: boolean): unknown {
  if (rule === 'allow') return value;
  if (rule === 'forbid') {
    if (isStated(value)) throw new LlmCallError(field, 'is not offered here', value);
    return value;
  }
  if ('force' in rule) return rule.force;
  if ('cap' in rule) {
    if (!isStated(value)) return isAdded ? rule.cap : value;
    if (typeof value === 'number') return Math.min(value, rule.cap);
    // Some servers read a number out of text.
    throw new LlmCallError(field, 'must be a number', value);
  }
  const forbidden = placeOf(value, (one) => namesOf(one).some((name) => isIn(rule.forbid, name)));
  if (forbidden) throw new LlmCallError(`${field}${forbidden.place}`, 'is not offered here', forbidden.value);
  return value;
}

/** Whether a rule allows a value that has no price. */
export function isAllowed(rules: CheckedRules, member: string, value: unknown): boolean {
  const rule = rules.get(member)?.rule;
  if (rule === undefined || rule === 'forbid') return false;
  if (rule === 'allow' || 'force' in rule) return true;
  return 'allow' in rule && namesOf(value).every((name) => isIn(rule.allow, name));
}

/** What a value is called in a list of a rule: an object by its kinds, and all else by itself. */
function namesOf(value: unknown): readonly unknown[] {
  const kinds = kindsOf(value);
  return kinds.length === 0 ? [value] : kinds;
}

function isIn(values: readonly Scalar[] | undefined, name: unknown): boolean {
  return values?.some((value) => value === name) === true;
}

interface Place {
  readonly place: string;
  readonly value: unknown;
}

function placeOf(value: unknown, isWanted: (one: unknown) => boolean): Place | undefined {
  if (!isStated(value)) return undefined;
  if (!Array.isArray(value)) return isWanted(value) ? { place: '', value } : undefined;
  const found = value.findIndex(isWanted);
  return found < 0 ? undefined : { place: `[${found}]`, value: namesOf(value[found])[0] };
}

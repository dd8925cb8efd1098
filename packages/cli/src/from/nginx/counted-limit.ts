import { addressMatcher } from '@sluice/core/http';
import type { Note } from '../conversion.js';
import { EVERYONE, keyFromCode, type NamedKey } from '../named-key.js';
import { headerOf, isAddress, keysOf } from './key-of.js';
import type { PlacedLimit } from './limit-of.js';
import type { LimitedPlace } from './places.js';
import type { Cases, Variables } from './variables.js';

/** A limit of a place, with what nginx counts it by. */
export interface CountedLimit {
  readonly limit: PlacedLimit;
  /** It only counts. */
  readonly isDry: boolean;
  readonly keys: readonly NamedKey[];
  readonly exempt: Exempt | undefined;
  /** Addresses for which it does not hold. */
  readonly allowList: readonly string[];
  readonly notes: readonly Note[];
}

/** For whom a limit holds, if a header field tells. */
interface Exempt {
  readonly header: string;
  /** The values for which it is different than for all others. */
  readonly values: readonly string[];
  /** Whether it holds for the listed values, and not for all others; otherwise it is the other way round. */
  readonly onlyListed: boolean;
}

/** Works out what a limit is counted by. */
export function countedLimit(limit: PlacedLimit, { settings }: LimitedPlace, variables: Variables): CountedLimit {
  const { zone } = limit;
  const isDry = (zone.rate ? settings.limit_req_dry_run : settings.limit_conn_dry_run) === 'on';
  const dry: Note[] = isDry ? [{ kind: 'from', text: 'dry_run on: it is counted, and refuses nobody' }] : [];
  const base = { limit, isDry, exempt: undefined, allowList: [] };
  const notes = [...limit.notes, ...dry];
  const cases = variables.resolve(zone.key);
  if ('reason' in cases) {
    const what = `${zone.key} of nginx, which does not count a request without it; ${cases.reason}`;
    return { ...base, keys: [keyFromCode(zone.key, what)], notes };
  }
  const { root, otherwise } = cases;
  if (root === undefined || isFallback(cases)) return { ...base, keys: orEveryone(keysOf(otherwise)), notes };
  const { template, listed, onlyListed, strange } = holdsFor(cases);
  if (strange.length > 0)
    notes.push({
      kind: 'left out',
      text: `some requests are counted by another text: ${strange.join(', ')} (${zone.place})`,
    });
  const known = { ...base, keys: orEveryone(keysOf(template)) };
  const header = headerOf(root);
  if (header !== undefined) return { ...known, exempt: { header, values: listed, onlyListed }, notes };
  if (isAddress(root) && !onlyListed) {
    const ranges = listed.filter((range) => !isNetwork(range));
    if (ranges.length > 0)
      notes.push({ kind: 'left out', text: `these addresses, which are no networks: ${ranges.join(', ')}` });
    return { ...known, allowList: listed.filter(isNetwork), notes };
  }
  const verb = onlyListed ? 'counts only' : 'does not count';
  const text = `nginx ${verb} requests with ${root} ${listed.join(', ')}. Use the option skip of the middleware`;
  return { ...known, notes: [...notes, { kind: 'left out', text }] };
}

/** Whether a header field is used, and the address where it is missing: so does a key of a policy file. */
function isFallback({ root, listed, otherwise }: Cases): boolean {
  return (
    root !== undefined &&
    otherwise.includes(root) &&
    [...listed].every(
      ([value, text]) =>
        value === '' &&
        text
          .split('$')
          .some((variable) => isAddress(`$${variable}`) && otherwise.replace(root, `$${variable}`) === text),
    )
  );
}

/** Tells for which values a limit holds. An empty text is not counted. */
function holdsFor({ listed, otherwise }: Cases) {
  const [template = '', ...strange] = new Set([otherwise, ...listed.values()].filter((text) => text !== ''));
  const onlyListed = otherwise === '';
  const values = [...listed].filter(([, text]) => (text === '') !== onlyListed).map(([value]) => value);
  return { template, strange, onlyListed, listed: values };
}

function isNetwork(range: string): boolean {
  try {
    addressMatcher([range], 'range');
    return true;
  } catch {
    return false;
  }
}

const orEveryone = (keys: readonly NamedKey[]): readonly NamedKey[] => (keys.length === 0 ? [EVERYONE] : keys);

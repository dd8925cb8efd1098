import { hashedCustomer, type PolicyFile, type PolicyRule } from '@sluice/config';
import type { Key } from '@sluice/core';
import { encodeKey, hash } from '@sluice/core/values';
import { InputProblem } from '../../http/input-problem.js';
import { pointerOf } from '../../input/check-input.js';
import type { ServiceCall } from '../../service/service-call.js';
import type { GivenKey, GivenPart } from './given-key.js';
import { type KeySet, keySetsOf, namesToGive } from './key-sets.js';
import { type CallParts, type ResolvedPart, resolvePart } from './resolve-part.js';

/** A key that an operator has named. */
export interface ResolvedKey {
  /** As stores count it. */
  readonly key: Key;
  /** The hash that events, audit lines and lists show. */
  readonly hash: string;
  /** The names of the limits that count by it, as the file has them. */
  readonly limits: readonly string[];
  /** A request that counts by this key; undefined if a part of the key is known by its hash alone. */
  readonly call: ServiceCall | undefined;
}

type NamedParts = Readonly<Record<string, GivenPart>>;

/** An address of nobody (RFC 5737), for limits by address that the operator has not asked about. */
const NOBODY = '192.0.2.1';

/**
 * Finds the key of a policy that an operator means.
 *
 * @throws InputProblem 400 with what to give instead. It never repeats the key.
 */
export function resolveKey(file: PolicyFile, policy: PolicyRule, given: GivenKey | undefined): ResolvedKey {
  const named = namedParts(file, policy, given);
  const { names, limits } = keySetOf(file, policy, named);
  const isAlone = typeof given !== 'object' || Array.isArray(given);
  const parts = names.map((name) => partOf(file, policy, name, named[name] ?? '', isAlone ? ['key'] : ['key', name]));
  const [only] = parts;
  const key = only && parts.length === 1 ? only.key : parts.map((part) => part.key);
  return {
    key,
    hash: hash(encodeKey(key)),
    limits: limits.map(({ name }) => name),
    call: callOf(parts.map(({ call }) => call)),
  };
}

function namedParts(file: PolicyFile, policy: PolicyRule, given: GivenKey | undefined): NamedParts {
  if (typeof given === 'object' && !Array.isArray(given)) return given as NamedParts;
  const names = namesToGive(policy.key, file);
  const [name] = names;
  if (given === undefined) {
    if (name === undefined) return {};
    throw problem(['key'], `is required: ${wordsFor(file, policy)}`);
  }
  if (name === undefined || names.length > 1) throw problem(['key'], `must fit the policy: ${wordsFor(file, policy)}`);
  return { [name]: given as GivenPart };
}

/** Finds the keys of the policy that have these names. */
function keySetOf(file: PolicyFile, policy: PolicyRule, named: NamedParts): KeySet {
  const wanted = Object.keys(named).toSorted().join('\0');
  const sets = keySetsOf(policy);
  const found = sets.find(({ names }) => namesToGive(names, file).toSorted().join('\0') === wanted);
  if (found) return found;
  const [own] = sets;
  // A request that lacks the key of the policy counts by its address.
  if (own && wanted === ADDRESS && own.names.length === 1 && countsByAddressToo(file, own.names[0] as string)) {
    return { names: [ADDRESS], limits: own.limits };
  }
  throw problem(['key'], `must fit the policy: ${wordsFor(file, policy)}`);
}

const ADDRESS = 'address';

function countsByAddressToo({ keys }: PolicyFile, name: string): boolean {
  const from = keys.get(name)?.from;
  return from === 'header' || from === 'code';
}

function partOf(
  file: PolicyFile,
  policy: PolicyRule,
  name: string,
  given: GivenPart,
  place: readonly string[],
): ResolvedPart {
  const rule = file.keys.get(name);
  if (!rule) throw problem(place, 'is no key of the file');
  const part = resolvePart(name, rule, given);
  if ('rule' in part) throw problem(place, part.rule);
  if (name === policy.key[0]) refuseUnknownCustomer(file, policy, given, place);
  return part;
}

/** Refuses a key that no customer has, if such requests count by address: a block of it would refuse nobody. */
function refuseUnknownCustomer(
  { customers }: PolicyFile,
  { unknownCustomer }: PolicyRule,
  given: GivenPart,
  place: readonly string[],
): void {
  if (unknownCustomer !== 'address' || typeof given === 'object') return;
  const value = String(given);
  if (value.startsWith('sha256:') || customers.has(value) || customers.has(hashedCustomer(value))) return;
  throw problem(
    place,
    'must be a customer of the file: requests of others count by their address, so give {"address"}',
  );
}

function callOf(parts: readonly (CallParts | undefined)[]): ServiceCall | undefined {
  const known = parts.filter((part) => part !== undefined);
  if (known.length < parts.length) return undefined;
  return {
    kind: 'peek',
    method: 'GET',
    url: '/',
    headers: Object.assign({}, ...known.map(({ headers }) => headers)),
    ip: known.map(({ ip }) => ip).find((ip) => ip !== undefined) ?? NOBODY,
    keys: Object.assign({}, ...known.map(({ keys }) => keys)),
  };
}

/** Says what a policy counts by: `customer, or {"customer", "address"}`. */
function wordsFor(file: PolicyFile, policy: PolicyRule): string {
  const forms = keySetsOf(policy).map(({ names }, i) => {
    const needed = namesToGive(names, file);
    if (needed.length === 0) return 'no key';
    if (needed.length === 1 && i === 0) return `the value of ${needed[0]}`;
    return `{${needed.map((name) => JSON.stringify(name)).join(', ')}}`;
  });
  return `it counts by ${[...new Set(forms)].join(', or by ')}`;
}

function problem(place: readonly string[], detail: string): InputProblem {
  return new InputProblem(400, [{ pointer: pointerOf(place), detail }]);
}

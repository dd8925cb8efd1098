// Why it is so: docs/why/policy-files.md

import type { Store } from '../stores/store.js';
import { optionError } from '../values/error.js';
import { getOrCreate } from '../values/get-or-create.js';
import { checkOptions } from '../values/option-checks.js';
import { WeakList } from '../values/weak-list.js';
import type { Args, PolicyOptions } from './policy/options.js';
import { ownerOf } from './policy/owner.js';
import { outlineOf, POLICY_OPTIONS, type Policy } from './policy/parse.js';
import type { ReplaceableEngine } from './replaceable-engine.js';
import type { GrantedReservation } from './reservation.js';

/** A limiter or a middleware whose policy can be replaced. */
interface Replaceable {
  /** The name of its policy. */
  readonly name: string;
  /** The store that the user gave it; undefined if it has one of its own. */
  readonly store: Store | undefined;
  /**
   * Makes the new policy, and changes nothing yet. Returns the function that puts it into force, which does not fail.
   *
   * @throws SluiceError if an option is wrong
   */
  prepare(options: Partial<PolicyOptions<never>>): () => void;
}

/**
 * What an owner has made. A program that builds its limiters again leaves the former ones behind, so the list drops engines
 * that nobody uses any more. The names stay, so that no error depends on when that happens.
 */
class Owned {
  readonly names = new Set<string>();
  readonly engines = new WeakList<object>();
}

/**
 * What all owners of a process have made. A process can have two copies of this package: `@sluice/config` may be imported where an
 * adapter is required, or two packages may need the core in two versions. All of them use what the first one has registered. So
 * nothing here is of a class of ours, and a change of these functions needs another symbol.
 */
interface Made {
  /** Keeps what an owner has made, as long as anybody uses its engine. */
  add(owner: object, engine: object, one: Replaceable): void;
  /** Returns all names of an owner, and what is still used; undefined if it has made nothing. */
  by(owner: object): { readonly names: ReadonlySet<string>; readonly used: readonly Replaceable[] } | undefined;
}

const MADE: unique symbol = Symbol.for('sluice.replaceables') as never;

const PROCESS = globalThis as { [MADE]?: Made };

function made(): Made {
  PROCESS[MADE] ??= newMade();
  return PROCESS[MADE];
}

function newMade(): Made {
  /** By the object that owns the name of the policy. */
  const owned = new WeakMap<object, Owned>();
  /** By the engine that decides, which keeps it. */
  const replaceables = new WeakMap<object, Replaceable>();
  return {
    add(owner, engine, one) {
      const { names, engines } = getOrCreate(owned, owner, () => new Owned());
      names.add(one.name);
      engines.add(engine);
      replaceables.set(engine, one);
    },
    by(owner) {
      const own = owned.get(owner);
      if (!own) return undefined;
      return { names: own.names, used: [...own.engines].flatMap((engine) => replaceables.get(engine) ?? []) };
    },
  };
}

/** Whether something was made for an owner before. */
export function hasMade(owner: object): boolean {
  return made().by(ownerOf(owner)) !== undefined;
}

/** Lets `replacePolicy` find a limiter or a middleware by its owner, as long as anybody uses its engine. */
export function addReplaceable(owner: object, engine: object, one: Replaceable): void {
  made().add(ownerOf(owner), engine, one);
}

/**
 * Prepares to replace a policy, as `replacePolicy` does, and checks the new options. Nothing changes until you call the
 * returned function. With it, you can replace several policies together, or none if one of them has a wrong option.
 *
 * @throws SluiceError as `replacePolicy`
 */
export function prepareReplacement<A extends Args>(owner: object, options: PolicyOptions<A>): () => void {
  checkOptions(options, POLICY_OPTIONS);
  const own = made().by(ownerOf(owner));
  if (!own) {
    const rule = 'must be the options of a limiter or a middleware, or the owner that it was made with';
    throw optionError('owner', rule, owner);
  }
  const { names, used } = own;
  const [first = ''] = names;
  const { name = first, store } = options;
  if (!names.has(name)) {
    const known = [...names].map((one) => JSON.stringify(one)).join(', ');
    throw optionError('name', `must be a name that the owner has: ${known}`, name);
  }
  const named = used.filter((one) => one.name === name);
  for (const one of named) {
    if (store !== undefined && store !== one.store) throw optionError('store', 'must stay the same', store);
  }
  const { name: _, store: __, ...changed } = options;
  const puttings = named.map((one) => one.prepare(changed as Partial<PolicyOptions<never>>));
  return () => {
    for (const put of puttings) put();
  };
}

/**
 * Replaces the policy of every limiter and middleware that was made from these options, or with this owner, while
 * requests run. Use it to change limits without a restart.
 *
 * Each request is decided by the old policy or the new one, never by both. Spent units stay spent: a limit that keeps
 * its name and its algorithm keeps its states, whatever its numbers are. Reservations of the old policy can be corrected
 * as before, and requests that wait in a line wait under the new limits.
 *
 * An option that you leave out stays as it was when the limiter was made. The name and the store cannot be changed, and
 * neither can options that only HTTP has.
 *
 * @param owner - the options object of `createLimiter` or a middleware, or the owner that you gave instead
 * @throws SluiceError `SLUICE_OPTION`, `SLUICE_UNSUPPORTED`; the old policy then stays in force
 * @example
 * const options = { name: 'api', limit: 100, window: '1m' };
 * const limiter = createLimiter(options);
 * replacePolicy(options, { limit: 200, window: '1m' });
 */
export function replacePolicy<A extends Args>(owner: object, options: PolicyOptions<A>): void {
  prepareReplacement(owner, options)();
}

/** The options that say what to limit. New ones replace all of the old ones. */
const AMOUNT = ['limit', 'window', 'limits', 'guarantee', 'lend'] as const;

/** Returns the options with those that replace some of them. */
export function replacedOptions<O extends object>(made: O, changed: Partial<PolicyOptions<never>>): O {
  const says = AMOUNT.some((option) => changed[option] !== undefined);
  const kept = Object.entries(made).filter(([option]) => !says || !AMOUNT.some((amount) => amount === option));
  const given = Object.entries(changed).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...kept, ...given]) as O;
}

/** Prepares an engine to decide by another policy, after the store has accepted it. Returns what puts the policy into force. */
export function prepareEngine<A extends Args, R extends GrantedReservation>(
  engine: ReplaceableEngine<A, R>,
  policy: Policy<A>,
  store: Store | undefined,
): () => void {
  store?.accept?.(outlineOf(policy));
  return engine.prepare(policy);
}

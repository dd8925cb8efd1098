/**
 * What is said about a part of a conversion:
 *
 * - `from`: what it was made of.
 * - `differs`: it was converted, but it decides differently in some case.
 * - `left out`: it could not be converted.
 */
type NoteKind = 'from' | 'differs' | 'left out';

/** One thing to know about a conversion. It becomes a comment of the policy file. */
export interface Note {
  readonly kind: NoteKind;
  readonly text: string;
}

/** A limit in the words of a policy file. */
export type LimitSpec = Readonly<Record<string, unknown>>;

/** How a key is read from a request, in the words of a policy file. */
export interface ConvertedKey {
  readonly rule: unknown;
  readonly notes: readonly Note[];
}

/** One limit of a policy. */
export interface ConvertedLimit {
  readonly name: string;
  /** Undefined if the tiers have it. */
  readonly spec: LimitSpec | undefined;
  /** 0 if it only counts. */
  readonly enforce?: 0;
  /** The names of its keys; absent for those of the policy. */
  readonly key?: readonly string[];
  readonly notes: readonly Note[];
}

/** The requests that a policy is for. */
export interface Match {
  /** The paths, as globs. */
  readonly path?: string | readonly string[];
  readonly methods?: readonly string[];
}

/** One policy. */
export interface ConvertedPolicy {
  readonly name: string;
  readonly match?: Match | undefined;
  readonly key: readonly string[];
  /** The tier of customers that nobody listed; absent if the policy has no tiers. */
  readonly defaultTier?: string;
  readonly limits: readonly ConvertedLimit[];
  readonly onStoreError?: 'allow' | 'deny';
  /** Addresses that are not counted. */
  readonly allowList?: readonly string[] | undefined;
  readonly notes: readonly Note[];
}

/** The limits of a tier, by name. */
export interface ConvertedTier {
  readonly limits: ReadonlyMap<string, LimitSpec>;
  readonly notes: readonly Note[];
}

/** One customer. */
export interface ConvertedCustomer {
  readonly tier: string;
  readonly notes: readonly Note[];
}

/** A foreign configuration, as a policy file. */
export interface Conversion {
  /** Where it came from, for the first comment: `nginx`, `Kong`. */
  readonly product: string;
  /** What holds for the whole file. */
  readonly notes: readonly Note[];
  readonly keys: ReadonlyMap<string, ConvertedKey>;
  readonly tiers: ReadonlyMap<string, ConvertedTier>;
  readonly customers: ReadonlyMap<string, ConvertedCustomer>;
  readonly policies: readonly ConvertedPolicy[];
}

/** Returns every note of a conversion, in the order of the file. */
export function notesOf({ notes, keys, tiers, customers, policies }: Conversion): readonly Note[] {
  return [
    ...notes,
    ...[...keys.values(), ...tiers.values(), ...customers.values()].flatMap((part) => part.notes),
    ...policies.flatMap((policy) => [...policy.notes, ...policy.limits.flatMap((limit) => limit.notes)]),
  ];
}

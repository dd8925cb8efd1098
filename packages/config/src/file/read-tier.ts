import { nearest } from '@sluice/core/values';
import type { MistakeList } from './mistake-list.js';
import type { Path } from './path.js';
import type { KeyRule, TierRule } from './policy-file.js';
import { readTrust } from './read-trust.js';
import type { TierInput } from './schema.js';
import type { Sound } from './structure.js';

/** Reads where the tier of a request comes from. Undefined, with a mistake, if that is not clear. */
export function readTier(
  input: Sound<TierInput>,
  path: Path,
  tiers: readonly string[],
  mistakes: MistakeList,
): TierRule | undefined {
  const { from, header, trustedFrom } = input;
  const usual =
    input.default === undefined ? undefined : readTierName(input.default, [...path, 'default'], tiers, mistakes);
  if ((from === undefined) === (header === undefined)) {
    if (!mistakes.isDamaged(path)) {
      mistakes.add(path, 'must have one of from: customers, from: code, and header', { at: 'missing' });
    }
    return undefined;
  }
  if (header !== undefined) {
    return { from: 'header', header, default: usual, trustedFrom: readTrust(trustedFrom, header, path, mistakes) };
  }
  if (trustedFrom !== undefined) {
    mistakes.addValue([...path, 'trustedFrom'], 'belongs to a header: remove it', trustedFrom, { at: 'key' });
  }
  return { from: from as 'customers' | 'code', default: usual };
}

/** Returns the name of a tier, which has to be known. */
export function readTierName(
  name: string,
  path: Path,
  tiers: readonly string[],
  mistakes: MistakeList,
): string | undefined {
  if (tiers.includes(name)) return name;
  const near = nearest(name, tiers);
  const known = tiers.length === 0 ? 'define it in tiers' : `define it in tiers, or use one of ${tiers.join(', ')}`;
  const cure = near === undefined ? known : `use ${near}`;
  mistakes.addValue(path, `must be the name of a tier: ${cure}`, name, { code: 'SLUICE_POLICY_FILE' });
  return undefined;
}

/** Customers are named by one key whose value a request carries. */
export function checkCustomerKey(
  key: readonly string[],
  keys: ReadonlyMap<string, KeyRule>,
  path: Path,
  mistakes: MistakeList,
): void {
  const [first] = key;
  const rule = first === undefined ? undefined : keys.get(first);
  if (rule?.from !== 'everyone') return;
  mistakes.add(
    path,
    `must begin with the key that says who the customer is, because of tier: { from: customers }, and ${first} is the same for everybody`,
    { code: 'SLUICE_POLICY_FILE' },
  );
}

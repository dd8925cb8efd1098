import { diffPolicyFiles } from '../diff/diff-policy-files.js';
import type { PolicyChange } from '../diff/policy-change.js';
import type { CustomerRule, PolicyFile } from '../file/policy-file.js';
import { MOST_CHANGES } from './audit.js';
import { pause } from './pause.js';

type Customers = PolicyFile['customers'];

/** Customers that are compared between two pauses: some milliseconds of work. */
const CUSTOMERS_PER_SLICE = 250;

const NOBODY: Customers = new Map();

/**
 * Returns the differences between two files as `diffPolicyFiles` does, but lets requests be served meanwhile. If there are more
 * than anybody reads, further customers are compared only for their numbers.
 */
export async function changesInSlices(old: PolicyFile, next: PolicyFile): Promise<readonly PolicyChange[]> {
  const changes = [...diffPolicyFiles({ ...old, customers: NOBODY }, { ...next, customers: NOBODY })];
  for (const names of slicesOf(namesOf(old.customers, next.customers))) {
    const areMany = changes.length >= MOST_CHANGES;
    const compared = names.filter((name) =>
      isWorthComparing(old.customers.get(name), next.customers.get(name), areMany),
    );
    if (compared.length > 0) changes.push(...diffCustomersOf(compared, old, next));
    await pause();
  }
  return changes;
}

function diffCustomersOf(names: readonly string[], old: PolicyFile, next: PolicyFile): readonly PolicyChange[] {
  const part = (customers: Customers): Customers =>
    new Map(
      names.flatMap((name) => {
        const rule = customers.get(name);
        return rule ? [[name, rule] as const] : [];
      }),
    );
  // The rest of the files is compared already.
  return diffPolicyFiles({ ...next, customers: part(old.customers) }, { ...next, customers: part(next.customers) });
}

function* namesOf(old: Customers, next: Customers): Generator<string> {
  yield* old.keys();
  for (const name of next.keys()) if (!old.has(name)) yield name;
}

function* slicesOf(names: Iterable<string>): Generator<readonly string[]> {
  let slice: string[] = [];
  for (const name of names) {
    slice.push(name);
    if (slice.length < CUSTOMERS_PER_SLICE) continue;
    yield slice;
    slice = [];
  }
  if (slice.length > 0) yield slice;
}

/** @param areMany - whether only numbers are of interest, which the guard looks at */
function isWorthComparing(was: CustomerRule | undefined, is: CustomerRule | undefined, areMany: boolean): boolean {
  if (was === undefined || is === undefined) return !areMany;
  if (was.overrides.size > 0 && is.overrides.size > 0) return true;
  return !areMany && !(isPlain(was) && isPlain(is) && was.tier === is.tier);
}

const isPlain = ({ overrides, block }: CustomerRule): boolean => overrides.size === 0 && block === undefined;

import type { Note } from '../conversion.js';
import { Names } from '../names.js';
import { type TieredLimit, type Tiers, tiersOf, UNLIMITED } from '../tiers.js';
import type { CountedLimit } from './counted-limit.js';

/** Customers of a configuration, and the limits that depend on them. */
export interface Plans extends Tiers {
  /** The header field that names the customer; undefined if no limit depends on it. */
  readonly header: string | undefined;
  /** The names of the limits whose numbers stand in the tiers. */
  readonly names: ReadonlyMap<CountedLimit, string>;
  readonly notes: readonly Note[];
}

/** Makes tiers of limits that hold only for some values of a header field: the first one that a limit depends on. */
export function plansOf(limits: readonly CountedLimit[]): Plans {
  const header = limits.find(({ exempt }) => exempt)?.exempt?.header;
  const names = new Map<CountedLimit, string>();
  const tiered = new Map<string, TieredLimit>();
  const given = new Names();
  const notes: Note[] = [];
  for (const counted of limits) {
    const { limit, exempt } = counted;
    if (!exempt) continue;
    if (exempt.header !== header) {
      const text = `the limit ${limit.zone.name} depends on ${exempt.header}, and a policy file has customers of one field: ${header}`;
      notes.push({ kind: 'left out', text });
      continue;
    }
    // The same zone with another burst is another limit.
    const content = JSON.stringify([limit.zone.name, limit.spec, exempt]);
    const known = tiered.get(content);
    const name = known?.name ?? given.give(limit.zone.name, 'limit');
    names.set(counted, name);
    const [otherwise, special] = exempt.onlyListed ? [UNLIMITED, limit.spec] : [limit.spec, UNLIMITED];
    tiered.set(content, { name, otherwise, listed: new Map(exempt.values.map((value) => [value, special])) });
  }
  const all = [...tiered.values()];
  if (all.length === 0) return { header, names, notes, tiers: new Map(), customers: new Map() };
  const customers = all.flatMap(({ listed }) => [...listed.keys()]).filter((value) => value !== '');
  const holdsFor = (customer: string): string =>
    all
      .filter(({ listed, otherwise }) => (listed.get(customer) ?? otherwise) !== UNLIMITED)
      .map(({ name }) => name)
      .join('-') || 'unlimited';
  return { header, names, notes, ...tiersOf(all, customers, holdsFor, new Names()) };
}

import type { Conversion, ConvertedKey, ConvertedLimit, ConvertedPolicy, Note } from '../conversion.js';
import { ADDRESS, type NamedKey } from '../named-key.js';
import { Names, nameOf } from '../names.js';
import { DEFAULT_TIER } from '../tiers.js';
import { type CountedLimit, countedLimit } from './counted-limit.js';
import { ADDRESS_NOTE, headerKey } from './key-of.js';
import { type Zone, zoneOf } from './limit-of.js';
import type { Directive } from './parse.js';
import { type LimitedPlace, limitedPlaces } from './places.js';
import { type Plans, plansOf } from './plans.js';
import type { NginxConfig } from './read-config.js';
import { Variables } from './variables.js';

/** Directives that limit something else, or in another way. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  limit_rate: 'it limits bytes per second, not requests',
  limit_rate_after: 'it limits bytes per second, not requests',
  auth_request: 'the service that it asks may have limits of its own',
};

/** Converts the limits of an nginx configuration. */
export function convertNginx({ directives, notes }: NginxConfig): Conversion {
  return new NginxConversion(directives, notes).result();
}

class NginxConversion {
  readonly #notes: Note[];
  readonly #keys = new Map<string, ConvertedKey>();
  readonly #variables: Variables;
  readonly #zones = new Map<string, Zone>();
  readonly #places: readonly LimitedPlace[];
  readonly #usesOfZone = new Map<string, string[]>();

  constructor(directives: readonly Directive[], notes: readonly Note[]) {
    this.#notes = [...notes];
    // A file of conf.d has what stands in the http block, without the block.
    const http = directives.find(({ name }) => name === 'http') ?? {
      name: 'http',
      args: [],
      place: 'the file',
      block: directives,
    };
    this.#variables = new Variables(http.block ?? []);
    for (const directive of http.block ?? []) this.#addZone(directive);
    this.#places = limitedPlaces(http, this.#zones);
    this.#addElsewhere(directives);
    for (const { titles, limits } of this.#places)
      for (const { zone } of limits)
        this.#usesOfZone.set(zone.name, [...(this.#usesOfZone.get(zone.name) ?? []), titles.join(', ')]);
  }

  result(): Conversion {
    const names = new Names();
    const counted = this.#places.map((place) =>
      place.limits.map((limit) => countedLimit(limit, place, this.#variables)),
    );
    const plans = plansOf(counted.flat());
    const policies = this.#places.map((place, i) =>
      this.#policy(place, names.give(place.label, i === 0 ? 'api' : 'policy'), counted[i] as CountedLimit[], plans),
    );
    if (policies.length > 1)
      this.#notes.push({
        kind: 'differs',
        text: 'nginx takes the limits of one location for a request, the most specific one. Here a program chooses the policy of a route by its name, and sluice replay asks each policy that matches, in the order of this file',
      });
    return {
      product: 'nginx',
      notes: [...this.#notes, ...plans.notes],
      keys: this.#keys,
      tiers: plans.tiers,
      customers: plans.customers,
      policies: policies.sort((a, b) => lengthOf(b) - lengthOf(a)),
    };
  }

  #addZone(directive: Directive): void {
    if (directive.name !== 'limit_req_zone' && directive.name !== 'limit_conn_zone') return;
    const zone = zoneOf(directive);
    if (zone) this.#zones.set(zone.name, zone);
    else this.#leftOut(`${directive.name} ${directive.args.join(' ')} (${directive.place}): it is not valid`);
  }

  #addElsewhere(directives: readonly Directive[]): void {
    for (const { name, args, place, block } of directives) {
      const reason = ELSEWHERE[name];
      if (reason !== undefined) this.#leftOut(`${name} ${args.join(' ')} (${place}): ${reason}`);
      if (name === 'stream' && block?.some((inner) => inner.name.startsWith('limit_conn')))
        this.#leftOut(`limits in stream (${place}): they are for connections without HTTP`);
      else if (block) this.#addElsewhere(block);
    }
  }

  #leftOut(text: string): void {
    this.#notes.push({ kind: 'left out', text });
  }

  #policy(place: LimitedPlace, name: string, limits: readonly CountedLimit[], plans: Plans): ConvertedPolicy {
    const { header, names } = plans;
    const hasTiers = header !== undefined && limits.some((limit) => names.has(limit));
    const key = this.#use(hasTiers ? [headerKey(header)] : (limits[0]?.keys ?? [ADDRESS]));
    const [allowList = [], ...others] = limits.map((limit) => limit.allowList);
    // The list of a policy holds for all its limits.
    const isForAll = others.every((other) => other.join() === allowList.join());
    return {
      name,
      ...(isForAll && allowList.length > 0 && { allowList }),
      match: place.paths.length === 0 ? undefined : { path: place.paths },
      key,
      ...(hasTiers && { defaultTier: DEFAULT_TIER }),
      limits: limits.map((limit): ConvertedLimit => {
        const own = this.#use(limit.keys);
        const tiered = names.get(limit);
        return {
          name: tiered ?? nameOf(limit.limit.zone.name, 'limit'),
          spec: tiered === undefined ? limit.limit.spec : undefined,
          ...(own.join() !== key.join() && { key: own }),
          ...(limit.isDry && { enforce: 0 }),
          notes: [...limit.notes, ...this.#sharedNotes(limit), ...(isForAll ? [] : allowNotes(limit))],
        };
      }),
      notes: [
        ...notesOf(place),
        ...(hasTiers && limits.some(({ keys }) => keys[0]?.name === key[0]) ? [UNLISTED] : []),
      ],
    };
  }

  /** nginx counts by zones, and a zone may have several places. */
  #sharedNotes({ limit: { zone } }: CountedLimit): Note[] {
    const places = [...new Set(this.#usesOfZone.get(zone.name))];
    if (places.length < 2) return [];
    const text = `nginx counts the zone ${zone.name} together in ${places.join(' and ')}; here each policy counts by itself`;
    return [{ kind: 'differs', text }];
  }

  #use(keys: readonly NamedKey[]): string[] {
    for (const { name, key } of keys) {
      if (key) this.#keys.set(name, key);
      if (name === ADDRESS.name && !this.#notes.includes(ADDRESS_NOTE)) this.#notes.push(ADDRESS_NOTE);
    }
    return keys.map(({ name }) => name);
  }
}

/** A value that nobody listed could be invented by anybody. */
const UNLISTED: Note = {
  kind: 'differs',
  text: 'nginx counts every value of the field by itself. Here a value that is not among the customers counts by its address',
};

function allowNotes({ allowList }: CountedLimit): Note[] {
  if (allowList.length === 0) return [];
  const text = `nginx does not count these addresses for this limit: ${allowList.join(', ')}. A list of a policy would hold for its other limits, too`;
  return [{ kind: 'left out', text }];
}

/** Notes about a place as a whole. */
function notesOf({ titles, unmatched, settings, broken, limits }: LimitedPlace): Note[] {
  const notes: Note[] = [{ kind: 'from', text: titles.join(', ') }];
  if (unmatched !== undefined)
    notes.push({
      kind: 'left out',
      text: `match, because it is ${unmatched}: put the policy on these routes by its name`,
    });
  for (const text of broken) notes.push({ kind: 'left out', text });
  const statuses = new Map(
    limits.map(({ zone }) =>
      zone.rate ? ['limit_req', settings.limit_req_status] : ['limit_conn', settings.limit_conn_status],
    ),
  );
  for (const [name, status = '503'] of statuses)
    if (status !== '429')
      notes.push({
        kind: 'left out',
        text: `the status ${status} of ${name}; here it is 429. For the old one, give the middleware statusCode: ${status}`,
      });
  return notes;
}

/** The most specific policies come first. */
const lengthOf = ({ match }: ConvertedPolicy): number => match?.path?.[0]?.length ?? 0;

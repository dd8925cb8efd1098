import type { Conversion, ConvertedKey, ConvertedLimit, ConvertedPolicy, Match, Note } from '../conversion.js';
import { Names } from '../names.js';
import { isLiteral, prefixPattern } from '../prefix-pattern.js';
import { DEFAULT_TIER, type TieredLimit, type Tiers, tiersOf, UNLIMITED } from '../tiers.js';
import type { YamlValue } from '../yaml-value.js';
import { CONSUMER, keyOf } from './key-of.js';
import { limitsOf } from './limits.js';
import { type KongFile, type LimitPlugin, readKong, type Scope, type Target } from './plugins.js';
import { settingsNotes, tierNotes } from './settings-notes.js';

/** What holds for every limit of Kong. */
const GENERAL: readonly Note[] = [
  {
    kind: 'differs',
    text: 'Kong looks at all counters first and counts afterwards, so requests at the same time can pass a limit. Here no request passes it, and all limits of a policy are decided in one step',
  },
];

/** Converts the plugins rate-limiting and rate-limiting-advanced of a declarative configuration. */
export function convertKong(root: YamlValue): Conversion {
  return new KongConversion(readKong(root)).result();
}

/** A route, a service, or everything: what one policy is for. */
interface Place {
  readonly label: string;
  readonly title: string;
  readonly target: Target | undefined;
  readonly scope: Pick<Scope, 'route' | 'service'>;
}

/** The limits of a place, for everybody and for each consumer. */
interface PlacedPlugins {
  readonly place: Place;
  /** For those whom no consumer's plugin is for. */
  readonly general: LimitPlugin | undefined;
  /** By the name of the consumer. */
  readonly own: ReadonlyMap<string, LimitPlugin>;
}

class KongConversion {
  readonly #file: KongFile;
  readonly #keys = new Map<string, ConvertedKey>();

  constructor(file: KongFile) {
    this.#file = file;
  }

  result(): Conversion {
    const placed = this.#places()
      .map((place) => this.#pluginsOf(place))
      .filter(({ general, own }) => general !== undefined || own.size > 0);
    const names = new Names();
    const limitNames = new Names();
    const tiered: TieredLimit[] = [];
    const policies = placed.map((plugins) =>
      this.#policy(plugins, names.give(plugins.place.label, 'api'), limitNames, tiered),
    );
    const { tiers, customers } = this.#tiers(tiered);
    const left = this.#file.others.map(
      ({ name, place }): Note => ({ kind: 'left out', text: `the plugin ${name} (${place})` }),
    );
    const notes = [...GENERAL, ...left];
    if (policies.length > 1)
      notes.push({
        kind: 'differs',
        text: 'Kong takes one plugin for a request, the most specific one. Here a program chooses the policy of a route by its name, and sluice replay asks each policy that matches, in the order of this file',
      });
    return { product: 'Kong', notes, keys: this.#keys, tiers, customers, policies };
  }

  /** The places that have a plugin, the most specific first. A plugin of consumers alone is for everything. */
  #places(): Place[] {
    const { plugins, routes, services } = this.#file;
    const has = (test: (scope: Scope) => boolean): boolean => plugins.some(({ scope }) => test(scope));
    const places = [
      ...routes
        .filter(({ name }) => has(({ route }) => route === name))
        .map((target): Place => placeOf('route', target, { route: target.name, service: target.service })),
      ...services
        .filter(({ name }) => has(({ route, service }) => route === undefined && service === name))
        .map((target): Place => placeOf('service', target, { route: undefined, service: target.name })),
    ];
    const isGlobal = has(({ route, service }) => route === undefined && service === undefined);
    // Where nothing else is limited, the plugin of a consumer makes a policy for everything.
    const needsAll = has((scope) => Object.values(scope).every((part) => part === undefined));
    if (needsAll || (isGlobal && places.length === 0))
      places.push({
        label: 'api',
        title: 'all services',
        target: undefined,
        scope: { route: undefined, service: undefined },
      });
    return places;
  }

  /** Finds the plugin that Kong runs, for everybody and for each consumer. */
  #pluginsOf(place: Place): PlacedPlugins {
    const own = new Map<string, LimitPlugin>();
    const general = this.#best(place, undefined, []);
    for (const [consumer, groups] of this.#file.consumers) {
      const plugin = this.#best(place, consumer, groups);
      if (plugin && plugin !== general) own.set(consumer, plugin);
    }
    return { place, general, own };
  }

  /**
   * Returns the most specific plugin.
   *
   * @see https://developer.konghq.com/gateway/entities/plugin/#plugin-precedence
   */
  #best({ scope }: Place, consumer: string | undefined, groups: readonly string[]): LimitPlugin | undefined {
    let best: { plugin: LimitPlugin; rank: number } | undefined;
    for (const plugin of this.#file.plugins) {
      const { scope: on } = plugin;
      const fits =
        (on.route === undefined || on.route === scope.route) &&
        (on.service === undefined || on.service === scope.service) &&
        (on.consumer === undefined || on.consumer === consumer) &&
        (on.group === undefined || groups.includes(on.group));
      const rank = rankOf(on);
      if (fits && (best === undefined || rank < best.rank)) best = { plugin, rank };
    }
    return best?.plugin;
  }

  #policy(
    { place, general, own }: PlacedPlugins,
    name: string,
    limitNames: Names,
    tiered: TieredLimit[],
  ): ConvertedPolicy {
    const base = general && limitsOf(general);
    const byConsumer = new Map([...own].map(([consumer, plugin]) => [consumer, limitsOf(plugin).specs]));
    const hasTiers = byConsumer.size > 0;
    const periods = new Set([
      ...(base?.specs.keys() ?? []),
      ...[...byConsumer.values()].flatMap((specs) => [...specs.keys()]),
    ]);
    const limits = [...periods].map((period): ConvertedLimit => {
      const otherwise = base?.specs.get(period) ?? UNLIMITED;
      if (!hasTiers) return { name: period, spec: otherwise, notes: [] };
      // A tier has one list of limits for all policies, so a second policy needs other names.
      const unique = limitNames.give(period, 'limit');
      const listed = new Map([...byConsumer].map(([consumer, specs]) => [consumer, specs.get(period) ?? UNLIMITED]));
      tiered.push({ name: unique, otherwise, listed });
      return { name: unique, spec: undefined, notes: [] };
    });
    const plugin = general ?? ([...own.values()][0] as LimitPlugin);
    const key = hasTiers ? CONSUMER : keyOf(plugin.config, place.title);
    if (key.key) this.#keys.set(key.name, key.key);
    const notes: Note[] = [
      { kind: 'from', text: place.title },
      ...(base?.notes ?? []),
      ...consumerNotes(own),
      ...settingsNotes(plugin.config),
    ];
    if (hasTiers) notes.push(...tierNotes(plugin.config));
    const { match, notes: matchNotes } = matchOf(place, this.#file);
    const failure = onStoreErrorOf(plugin.config);
    return {
      name,
      match,
      key: [key.name],
      ...(hasTiers && { defaultTier: DEFAULT_TIER }),
      limits,
      ...(failure && { onStoreError: failure }),
      notes: [...notes, ...matchNotes],
    };
  }

  #tiers(tiered: readonly TieredLimit[]): Tiers {
    if (tiered.length === 0) return { tiers: new Map(), customers: new Map() };
    const groups = this.#file.consumers;
    // Kong counts every consumer by itself, so all of them are listed.
    return tiersOf(tiered, groups.keys(), (consumer) => groups.get(consumer)?.[0] ?? consumer, new Names());
  }
}

const placeOf = (kind: string, target: Target, scope: Place['scope']): Place => ({
  label: target.name,
  title: `${kind} ${target.name} (${target.value.place})`,
  target,
  scope,
});

/** The order in which Kong prefers plugins: 0 first. */
function rankOf({ route, service, consumer, group }: Scope): number {
  const who = consumer !== undefined ? 'c' : group !== undefined ? 'g' : '';
  const what = `${route !== undefined ? 'r' : ''}${service !== undefined ? 's' : ''}`;
  return ['crs', 'grs', 'cr', 'cs', 'gr', 'gs', 'rs', 'c', 'g', 'r', 's', ''].indexOf(`${who}${what}`);
}

/** Returns the requests of a route. Kong's paths are prefixes, or regular expressions behind a tilde. */
function matchOf({ target, scope }: Place, { routes, plugins }: KongFile): { match: Match | undefined; notes: Note[] } {
  if (!target) return { match: undefined, notes: [] };
  const hasOwn = (route: Target): boolean => plugins.some(({ scope: on }) => on.route === route.name);
  const own =
    scope.route === undefined ? routes.filter((route) => route.service === target.name && !hasOwn(route)) : [target];
  const paths = own.flatMap(({ value }) => value.get('paths').items.flatMap(({ text }) => text ?? []));
  const methods =
    own.length === 1 ? (own[0]?.value.get('methods').items.flatMap(({ text }) => text?.toUpperCase() ?? []) ?? []) : [];
  const notes: Note[] = [];
  if (own.some(({ value }) => ['hosts', 'headers', 'snis'].some((name) => value.get(name).exists)))
    notes.push({
      kind: 'left out',
      text: 'the hosts or header fields of its routes: put the policy on the right routes by its name',
    });
  const isPlain =
    paths.length > 0 && own.every(({ value }) => value.get('paths').items.length > 0) && paths.every(isLiteral);
  if (paths.some((path) => path.startsWith('~')))
    notes.push({ kind: 'left out', text: `match, because a path is a regular expression: ${paths.join(', ')}` });
  if (!isPlain && methods.length === 0) return { match: undefined, notes };
  const globs = paths.map(prefixPattern);
  return {
    match: { ...(isPlain && !paths.includes('/') && { path: globs }), ...(methods.length > 0 && { methods }) },
    notes,
  };
}

/** Where a store fails, Kong admits everything unless its configuration says otherwise. */
function onStoreErrorOf(config: YamlValue): 'allow' | 'deny' | undefined {
  const policy = config.get('policy').text ?? config.get('strategy').text ?? 'local';
  if (policy === 'local') return undefined;
  return config.get('fault_tolerant').isFalse ? 'deny' : 'allow';
}

/** Notes about the plugins of consumers. Those of a group have one plugin. */
function consumerNotes(own: ReadonlyMap<string, LimitPlugin>): Note[] {
  const consumers = new Map<LimitPlugin, string[]>();
  for (const [consumer, plugin] of own) consumers.set(plugin, [...(consumers.get(plugin) ?? []), consumer]);
  return [...consumers].flatMap(([plugin, names]) =>
    limitsOf(plugin)
      .notes.filter(({ kind }) => kind !== 'differs')
      .map(({ kind, text }) => ({ kind, text: `${text}, for ${names.join(', ')}` })),
  );
}

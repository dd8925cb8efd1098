import type { YamlValue } from '../yaml-value.js';

/** What a plugin is put on. Undefined: any. */
export interface Scope {
  readonly route: string | undefined;
  readonly service: string | undefined;
  readonly consumer: string | undefined;
  readonly group: string | undefined;
}

/** A plugin that limits requests. */
export interface LimitPlugin {
  readonly name: 'rate-limiting' | 'rate-limiting-advanced';
  readonly scope: Scope;
  readonly config: YamlValue;
  readonly place: string;
}

/** A route or a service of the file. */
export interface Target {
  readonly name: string;
  readonly value: YamlValue;
  /** Of a route. */
  readonly service: string | undefined;
}

/** Everything in a declarative configuration that matters for limits. */
export interface KongFile {
  readonly services: readonly Target[];
  readonly routes: readonly Target[];
  /** The groups of each consumer, by its name. */
  readonly consumers: ReadonlyMap<string, readonly string[]>;
  readonly plugins: readonly LimitPlugin[];
  /** Plugins that limit something else, with their places. */
  readonly others: readonly { readonly name: string; readonly place: string }[];
}

const EVERYWHERE: Scope = { route: undefined, service: undefined, consumer: undefined, group: undefined };

/** Plugins that limit in another way. */
const OTHERS = /rate-limit|ratelimit|quota|service-protection|throttl/;

/** Reads a declarative configuration of Kong, as `kong.yml` and decK have it. */
export function readKong(root: YamlValue): KongFile {
  const services: Target[] = [];
  const routes: Target[] = [];
  const consumers = new Map<string, string[]>();
  const plugins: LimitPlugin[] = [];
  const others: { name: string; place: string }[] = [];

  addPlugins(root, EVERYWHERE);
  for (const service of root.get('services').items) {
    const name = nameOf(service, 'service', services.length);
    services.push({ name, value: service, service: undefined });
    addPlugins(service, { ...EVERYWHERE, service: name });
    for (const route of service.get('routes').items) addRoute(route, name);
  }
  for (const route of root.get('routes').items) addRoute(route, referenceOf(route.get('service')));
  for (const consumer of root.get('consumers').items) {
    const name = nameOf(consumer, 'consumer', consumers.size);
    const groups = consumer.get('groups').items.flatMap((group) => referenceOf(group) ?? []);
    consumers.set(name, [...(consumers.get(name) ?? []), ...groups]);
    addPlugins(consumer, { ...EVERYWHERE, consumer: name });
  }
  for (const group of root.get('consumer_groups').items) {
    const name = nameOf(group, 'group', 0);
    for (const member of group.get('consumers').items) {
      const consumer = referenceOf(member);
      if (consumer !== undefined) consumers.set(consumer, [...(consumers.get(consumer) ?? []), name]);
    }
    addPlugins(group, { ...EVERYWHERE, group: name });
  }
  return { services, routes, consumers, plugins, others };

  function addRoute(route: YamlValue, service: string | undefined): void {
    const name = nameOf(route, 'route', routes.length);
    routes.push({ name, value: route, service });
    addPlugins(route, { ...EVERYWHERE, route: name });
  }

  function addPlugins(owner: YamlValue, scope: Scope): void {
    for (const plugin of owner.get('plugins').items) {
      const name = plugin.get('name').text ?? '';
      if (plugin.get('enabled').isFalse) continue;
      if (name !== 'rate-limiting' && name !== 'rate-limiting-advanced') {
        if (OTHERS.test(name)) others.push({ name, place: plugin.place });
        continue;
      }
      const own = {
        route: scope.route ?? referenceOf(plugin.get('route')),
        service: scope.service ?? referenceOf(plugin.get('service')),
        consumer: scope.consumer ?? referenceOf(plugin.get('consumer')),
        group: scope.group ?? referenceOf(plugin.get('consumer_group')),
      };
      plugins.push({ name, scope: own, config: plugin.get('config'), place: plugin.place });
    }
  }
}

/** A reference is a name, or a map with a name or an id. */
function referenceOf(value: YamlValue): string | undefined {
  return value.text ?? value.get('name').text ?? value.get('username').text ?? value.get('id').text;
}

function nameOf(value: YamlValue, kind: string, index: number): string {
  return referenceOf(value) ?? value.get('custom_id').text ?? `${kind}-${index + 1}`;
}

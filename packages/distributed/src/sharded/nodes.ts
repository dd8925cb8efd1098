import { checkAsyncStore } from '@sluice/core/src/stores/check-store';
import { keyspacesOf, type PlaceDescription } from '@sluice/core/src/stores/keyspace';
import type { Capabilities, Store } from '@sluice/core/src/stores/store';
import { optionError } from '@sluice/core/src/values/error';
import { at, checkName, checkOptions } from '@sluice/core/src/values/option-checks';

type Nodes = Readonly<Record<string, Store<true>>>;

/** Returns what all nodes can do. No node reaches the keys of another. */
export function sharedCapabilities(nodes: readonly Store[]): Capabilities {
  const declared = nodes.map(({ supports }) => supports);
  const limited = declared.flatMap(({ algorithms }) => (algorithms ? [algorithms] : []));
  const [some, ...others] = limited;
  return {
    atomicAcrossKeys: false,
    ...(some && { algorithms: some.filter((name) => others.every((names) => names.includes(name))) }),
    ...(declared.some(({ exact }) => exact === false) && { exact: false }),
  };
}

/**
 * Returns the stores of a sharded store, by name.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function nodesOf(options: { readonly nodes: Nodes }): Nodes {
  checkOptions(options, ['nodes']);
  const { nodes } = options;
  if (typeof nodes !== 'object' || nodes === null || Array.isArray(nodes) || Object.keys(nodes).length === 0) {
    throw optionError('nodes', 'must be an object of stores by name: { a: new RedisStore({ client }) }', nodes);
  }
  const names = new Map<object, string>();
  for (const [name, store] of Object.entries(nodes)) {
    const path = at('nodes', name);
    checkName(name, path);
    checkAsyncStore(store, path);
    for (const { place, description } of keyspacesOf(store)) {
      const other = names.get(place);
      if (other !== undefined && other !== name) throw optionError(path, samePlace(other, description), store);
      names.set(place, name);
    }
  }
  return nodes;
}

function samePlace(other: string, description: PlaceDescription | undefined): string {
  if (!description) return `is the same store as nodes.${other}`;
  const { place, suggestion } = description;
  return `counts in the same place as nodes.${other}, ${place}: give each node a server of its own, or ${suggestion}`;
}

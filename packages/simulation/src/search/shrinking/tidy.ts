import { type Setup, type Step, type StoreSetup, serversOf, type Tape } from '../../tape/tape.js';

/**
 * Returns a tape without what nothing in it needs any more: steps about reservations that no step makes, and servers that no store
 * uses. The other servers get new numbers.
 */
export function tidied(tape: Tape): Tape {
  return withoutUnusedServers({ ...tape, steps: withoutOrphans(tape.steps) });
}

function withoutOrphans(steps: readonly Step[]): readonly Step[] {
  const names = new Set<number>();
  return steps.filter((step) => {
    if ('of' in step && !names.has(step.of)) return false;
    if ('charge' in step && !names.has(step.charge)) return false;
    if ('as' in step) names.add(step.as);
    return true;
  });
}

function withoutUnusedServers(tape: Tape): Tape {
  const used = [...new Set(serversOf(tape.setup.store))].sort((a, b) => a - b);
  if (used.length === tape.setup.servers.length && used.length > 0) return tape;
  const setup: Setup = {
    ...tape.setup,
    servers: tape.setup.servers.filter((_, server) => used.includes(server)),
    store: withServers(tape.setup.store, (server) => used.indexOf(server)),
  };
  const steps = tape.steps.flatMap((step): readonly Step[] => {
    if (!('server' in step)) return [step];
    const server = used.indexOf(step.server);
    return server < 0 ? [] : [{ ...step, server }];
  });
  return { ...tape, setup, steps };
}

function withServers(store: StoreSetup, numberOf: (server: number) => number): StoreSetup {
  if ('server' in store) return { ...store, server: numberOf(store.server) };
  if ('nodes' in store) return { ...store, nodes: store.nodes.map((node) => withServers(node, numberOf)) };
  return 'of' in store ? { ...store, of: withServers(store.of, numberOf) } : store;
}

/** Gives reservations, charges and ids numbers in the order in which they occur. */
export function renumbered(tape: Tape): Tape {
  const names = new Map<number, number>();
  const ids = new Map<string, string>();
  const nameOf = (old: number): number => {
    names.set(old, names.get(old) ?? names.size + 1);
    return names.get(old) as number;
  };
  const idOf = (old: string): string => {
    ids.set(old, ids.get(old) ?? `op-${ids.size + 1}`);
    return ids.get(old) as string;
  };
  const steps = tape.steps.map((step): Step => {
    if ('fault' in step) return step;
    const named = {
      ...step,
      ...('of' in step && { of: nameOf(step.of) }),
      ...('charge' in step && { charge: nameOf(step.charge) }),
      ...('as' in step && { as: nameOf(step.as) }),
    };
    return 'id' in named && named.id !== undefined ? { ...named, id: idOf(named.id) } : named;
  });
  return { ...tape, steps };
}

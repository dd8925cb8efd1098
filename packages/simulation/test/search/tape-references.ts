import type { StoreSetup, Tape } from '../../src/tape/tape.js';

/** Returns what is wrong with the references of a tape: numbers of processes, reservations and so on that do not exist. */
export function wrongReferences({ setup, steps }: Tape): readonly string[] {
  const wrong: string[] = [];
  const names = new Set<number>();
  let lastMs = 0;
  for (const [i, step] of steps.entries()) {
    const say = (what: string) => wrong.push(`step ${i} ${JSON.stringify(step)}: ${what}`);
    if (!Number.isInteger(step.atMs) || step.atMs < lastMs) say('out of order');
    lastMs = step.atMs;
    if ('process' in step && setup.processes[step.process] === undefined) say('no such process');
    if ('server' in step && setup.servers[step.server] === undefined) say('no such server');
    if ('policy' in step && typeof step.policy === 'number') {
      const policy = setup.policies[step.policy];
      if (policy === undefined) say('no such policy');
      if ('variant' in step && policy?.variants[step.variant ?? 0] === undefined) say('no such variant');
    }
    if ('plan' in step && setup.plans?.[step.plan] === undefined) say('no such plan');
    if ('of' in step && !names.has(step.of)) say('no such reservation');
    if ('charge' in step && !names.has(step.charge)) say('no such charge');
    if ('as' in step) {
      if (names.has(step.as)) say('a name that another step has');
      names.add(step.as);
    }
    if ('cost' in step && !(Number.isInteger(step.cost) && step.cost >= 0)) say('a wrong cost');
  }
  const used = serversOf(setup.store);
  if (new Set(used).size !== used.length) wrong.push('two stores on one server');
  for (const server of used) if (setup.servers[server] === undefined) wrong.push(`no server ${server}`);
  for (const { variants } of setup.policies) {
    const names = variants.map((limits) => limits.map(({ name }) => name).join());
    if (new Set(names).size !== 1) wrong.push('variants with other names');
  }
  return wrong;
}

export function serversOf(store: StoreSetup): readonly number[] {
  switch (store.kind) {
    case 'memory':
      return [];
    case 'sharded':
      return store.nodes.flatMap(serversOf);
    case 'leased':
    case 'synced':
      return serversOf(store.of);
    default:
      return [store.server];
  }
}

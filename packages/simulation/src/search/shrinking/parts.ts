import type { PolicySetup, Setup, Step, StoreSetup, Tape } from '../../tape/tape.js';
import { type Pass, without } from './pass.js';

/** Leaves out parts of the steps: halves first, then smaller parts, at last single steps. Begins with the latest. */
export function dropSteps(size: number): Pass {
  return ({ steps, ...tape }, at) => {
    const from = steps.length - (at + 1) * size;
    if (steps.length === 0 || from <= -size) return undefined;
    const first = Math.max(0, from);
    return [{ ...tape, steps: without(steps, first, from + size - first) }];
  };
}

/** Leaves out a process and its calls, or lets the first one make them. */
export const dropProcess: Pass = (tape, process) => {
  const { processes } = tape.setup;
  if (process >= processes.length) return undefined;
  if (processes.length === 1) return [];
  const setup = { ...tape.setup, processes: without(processes, process) };
  const other = process === 0 ? 1 : 0;
  const numberOf = (old: number): number => (old > process ? old - 1 : old);
  const left = tape.steps.filter((step) => !('process' in step && step.process === process));
  const moved = tape.steps.map((step) => (isCallIn(step, process) ? { ...step, process: other } : step));
  return [left, moved.filter((step) => !('process' in step && step.process === process))].map((steps) => ({
    ...tape,
    setup,
    steps: steps.map((step) => ('process' in step ? { ...step, process: numberOf(step.process) } : step)),
  }));
};

function isCallIn(
  step: Step,
  process: number,
): step is Extract<Step, { readonly call: string; readonly process: number }> {
  return 'call' in step && 'process' in step && step.process === process;
}

/** Leaves out a policy, with the calls that are about it. */
export const dropPolicy: Pass = (tape, policy) => {
  const { policies } = tape.setup;
  if (policy >= policies.length) return undefined;
  if (policies.length === 1) return [];
  const steps = tape.steps
    .filter((step) => !('call' in step && 'policy' in step && step.policy === policy))
    .map((step) =>
      'call' in step && 'policy' in step && step.policy > policy ? { ...step, policy: step.policy - 1 } : step,
    );
  return [{ ...tape, setup: { ...tape.setup, policies: without(policies, policy) }, steps }];
};

/** Leaves out a limit of a policy, in all variants. */
export const dropLimit: Pass = (tape, at) => {
  const places = tape.setup.policies.flatMap(({ variants }, policy) =>
    (variants[0] ?? []).map((_, limit) => ({ policy, limit })),
  );
  const place = places[at];
  if (place === undefined) return undefined;
  return withPolicy(tape, place.policy, ({ variants, ...policy }) =>
    (variants[0] ?? []).length === 1
      ? undefined
      : { ...policy, variants: variants.map((limits) => without(limits, place.limit)) },
  );
};

/** Leaves out a variant of a policy. What chose it chooses the first one. */
export const dropVariant: Pass = (tape, at) => {
  const places = tape.setup.policies.flatMap(({ variants }, policy) =>
    variants.map((_, variant) => ({ policy, variant })),
  );
  const place = places[at];
  if (place === undefined) return undefined;
  const { policy, variant } = place;
  const [changed] = withPolicy(tape, policy, ({ variants, ...own }) =>
    variants.length === 1 ? undefined : { ...own, variants: without(variants, variant) },
  );
  if (changed === undefined) return [];
  const numberOf = (old: number): number => (old === variant ? 0 : old > variant ? old - 1 : old);
  const steps = changed.steps.map((step) =>
    'call' in step && step.call === 'replace' && step.policy === policy
      ? { ...step, variant: numberOf(step.variant) }
      : step,
  );
  return [{ ...changed, steps }];
};

function withPolicy(
  tape: Tape,
  number: number,
  change: (policy: PolicySetup) => PolicySetup | undefined,
): readonly Tape[] {
  const changed = change(tape.setup.policies[number] as PolicySetup);
  if (changed === undefined) return [];
  const policies = tape.setup.policies.map((policy, i) => (i === number ? changed : policy));
  return [{ ...tape, setup: { ...tape.setup, policies } }];
}

/** Takes a store out of the tree: a store in front of another, or a node. */
export const simplifyStore: Pass = (tape, at) => {
  const simpler = simplerStores(tape.setup.store);
  return at > 0 ? undefined : simpler.map((store) => withSetup(tape, { store }));
};

function simplerStores(store: StoreSetup): readonly StoreSetup[] {
  if ('of' in store) return [store.of, ...simplerStores(store.of).map((of) => ({ ...store, of }))];
  if (!('nodes' in store)) return [];
  const { nodes } = store;
  const fewer = nodes.length > 1 ? nodes.map((_, i) => ({ ...store, nodes: without(nodes, i) })) : [];
  const inside = nodes.flatMap((node, i) =>
    simplerStores(node).map((simpler) => ({ ...store, nodes: nodes.map((one, k) => (k === i ? simpler : one)) })),
  );
  return [...nodes, ...fewer, ...inside];
}

/** Lets chance decide nothing, and the network do its work. */
export const calm: Pass = (tape, at) => {
  if (at > 0) return undefined;
  const { network } = tape.setup;
  const quiet = { delayMs: [1, 1], slow: 0, slowMs: 0, breaks: 0, twice: 0 } as const;
  const candidates: Tape[] = [];
  if (JSON.stringify(network) !== JSON.stringify(quiet)) {
    candidates.push({ ...withSetup(tape, { network: quiet }), chance: 0 }, withSetup(tape, { network: quiet }));
  }
  if (network.breaks > 0) candidates.push(withSetup(tape, { network: { ...network, breaks: 0 } }));
  if (network.twice > 0) candidates.push(withSetup(tape, { network: { ...network, twice: 0 } }));
  if (network.slow > 0) candidates.push(withSetup(tape, { network: { ...network, slow: 0, slowMs: 0 } }));
  if (tape.chance !== 0) candidates.push({ ...tape, chance: 0 });
  return candidates;
};

/** Ends the run with its last step, or soon after. */
export const endEarly: Pass = (tape, at) => {
  if (at > 0) return undefined;
  const lastMs = tape.steps.at(-1)?.atMs ?? 0;
  return tape.setup.lastsMs > lastMs ? [withSetup(tape, { lastsMs: lastMs })] : [];
};

export function withSetup(tape: Tape, changed: Partial<Setup>): Tape {
  return { ...tape, setup: { ...tape.setup, ...changed } };
}

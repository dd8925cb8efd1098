import { kindsOf } from '../tape/nesting.js';
import type { LimitSetup, Setup, Step, Tape } from '../tape/tape.js';

/**
 * What occurs in a tape, without numbers: which stores, algorithms and calls, what goes wrong, and what else is special. The shape of
 * a tape that was shrunk says what its failure needs, because everything else was left out.
 */
export interface Shape {
  readonly stores: readonly string[];
  readonly algorithms: readonly string[];
  readonly calls: readonly string[];
  /** Faults, and what the network does to messages. */
  readonly faults: readonly string[];
  readonly features: readonly string[];
}

export const SHAPE_PARTS = [
  'stores',
  'algorithms',
  'calls',
  'faults',
  'features',
] as const satisfies readonly (keyof Shape)[];

/** Returns the shape of a tape, each part in alphabetical order. */
export function shapeOf({ setup, steps }: Tape): Shape {
  const limits = setup.policies.flatMap(({ variants }) => variants.flat());
  return {
    stores: sorted(kindsOf(setup.store)),
    algorithms: sorted(limits.map(({ limit }) => limit.algorithm)),
    calls: sorted(steps.flatMap((step) => ('call' in step ? [step.call] : []))),
    faults: sorted([...steps.flatMap((step) => ('fault' in step ? [step.fault] : [])), ...networkFaults(setup)]),
    features: sorted([...setupFeatures(setup), ...limits.flatMap(limitFeatures), ...steps.flatMap(stepFeatures)]),
  };
}

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort();
}

function networkFaults({ network }: Setup): readonly string[] {
  return (['slow', 'breaks', 'twice'] as const).filter((name) => network[name] > 0);
}

function setupFeatures({ processes, servers, policies, plans = [], store }: Setup): readonly string[] {
  const isSkewed = [...processes, ...servers].some(({ clockAheadMs }) => clockAheadMs !== 0);
  const names: readonly (readonly [string, boolean])[] = [
    ['processes', processes.length > 1],
    ['policies', policies.length > 1],
    ['plans', plans.length > 0],
    ['plan-of-all', plans.some(({ together }) => together)],
    ['limits', policies.some(({ variants }) => (variants[0]?.length ?? 0) > 1)],
    ['variants', policies.some(({ variants }) => variants.length > 1)],
    ['codes', processes.some(({ code = 0 }) => code > 0)],
    ['skew', isSkewed],
    ['drift', servers.some(({ driftPpm = 0 }) => driftPpm !== 0)],
    ['far', servers.some(({ farMs = 0 }) => farMs > 0)],
    ['nodes', 'nodes' in store && store.nodes.length > 1],
    ...(['allow', 'deny'] as const).map(
      (own) => [own, policies.some(({ onStoreError }) => onStoreError === own)] as const,
    ),
  ];
  return names.flatMap(([name, isThere]) => (isThere ? [name] : []));
}

function limitFeatures({ limit, by, cost, enforce, tolerance, guarantee }: LimitSetup): readonly string[] {
  const names: readonly (readonly [string, boolean])[] = [
    ['everyone', by === 'everyone'],
    ['own-cost', cost !== undefined],
    ['shadow', enforce === 0],
    ['tolerance', tolerance !== undefined],
    ['guarantee', guarantee !== undefined],
    ['block-duration', 'blockMs' in limit && limit.blockMs !== undefined],
    ['count-rejected', 'countRejected' in limit && limit.countRejected !== undefined],
    ['clock-window', 'align' in limit && limit.align === 'clock'],
    ['no-refill', limit.algorithm === 'token-bucket' && limit.refillRate === 0],
  ];
  return names.flatMap(([name, isThere]) => (isThere ? [name] : []));
}

function stepFeatures(step: Step): readonly string[] {
  const names: readonly (readonly [string, boolean])[] = [
    ['id', 'id' in step && step.id !== undefined],
    ['expires', 'call' in step && step.call === 'reserve' && step.expiresMs !== undefined],
    ['no-cost', 'cost' in step && step.cost === 0],
    ['subjects', 'subject' in step && step.subject > 0],
  ];
  return names.flatMap(([name, isThere]) => (isThere ? [name] : []));
}

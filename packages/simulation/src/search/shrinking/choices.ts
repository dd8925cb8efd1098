import type { LimitSetup, PolicySetup, StoreSetup, Tape } from '../../tape/tape.js';
import { spanOf, unitsOf } from '../drawing/limits.js';
import { withSetup } from './parts.js';
import type { Pass } from './pass.js';

/** Takes the usual choice where a policy or a limit has made another one. */
export const usualChoice: Pass = (tape, at) => {
  const policy = tape.setup.policies[at];
  if (policy === undefined) return undefined;
  const changed = (other: PolicySetup): Tape =>
    withSetup(tape, { policies: tape.setup.policies.map((one, i) => (i === at ? other : one)) });
  const local = policy.onStoreError === 'local' ? [] : [changed({ ...policy, onStoreError: 'local' })];
  return [...local, ...limitChoices(policy).map(changed)];
};

function limitChoices(policy: PolicySetup): readonly PolicySetup[] {
  const { variants } = policy;
  return (variants[0] ?? []).flatMap((_, limit) => {
    const withLimit = (change: (one: LimitSetup) => LimitSetup): PolicySetup => ({
      ...policy,
      variants: variants.map((limits) => limits.map((one, i) => (i === limit ? change(one) : one))),
    });
    const own = variants.flatMap((limits) => limits[limit] ?? []);
    const isPlain = own.every((one) => one.limit.algorithm === 'sliding-window');
    const isBySubject = own.every(({ by }) => by === 'subject');
    return [
      ...(isPlain ? [] : [withLimit(asSlidingWindow)]),
      ...(isBySubject || own.some(({ guarantee }) => guarantee)
        ? []
        : [withLimit((one) => ({ ...one, by: 'subject' }))]),
    ];
  });
}

/** Returns the usual limit, which admits as many units in the same time. */
function asSlidingWindow(one: LimitSetup): LimitSetup {
  const { limit } = one;
  if (limit.algorithm === 'sliding-window') return one;
  return { ...one, limit: { algorithm: 'sliding-window', limit: unitsOf(limit), windowMs: spanOf(limit) } };
}

/** Takes a Redis in place of a table, or the memory in place of both. */
export const usualServer: Pass = (tape, at) => {
  const { servers, store } = tape.setup;
  const server = servers[at];
  if (server === undefined) return undefined;
  const inMemory = 'server' in store ? [withSetup(tape, { store: { kind: 'memory' }, servers: [] })] : [];
  if (server.kind === 'redis') return inMemory;
  const asRedis = withSetup(tape, {
    servers: servers.map((one, i) => (i === at ? { ...one, kind: 'redis' } : one)),
    store: overRedis(store, at),
  });
  return [...inMemory, asRedis];
};

function overRedis(store: StoreSetup, server: number): StoreSetup {
  if ('server' in store) return store.server === server ? { ...store, kind: 'redis' } : store;
  if ('nodes' in store) return { ...store, nodes: store.nodes.map((node) => overRedis(node, server)) };
  return 'of' in store ? { ...store, of: overRedis(store.of, server) } : store;
}

import { SluiceError } from '@sluice/core/src/values/error';
import { type Eventual, whenReady } from '@sluice/core/src/values/eventual';
import type { LimiterOptions } from '../options/limiter-options.js';
import { REQUEST_LIMITER, type RequestCall } from '../options/request-limiter.js';
import type { Host } from '../request/host.js';
import type { PolicyHandle } from './policy-handle.js';

type Args = readonly unknown[];

/** Returns the function that makes the call about a request. */
export function callReader<A extends Args>(
  { cost, keys, tier }: LimiterOptions<A>,
  host: Host<A>,
): (args: A) => Eventual<RequestCall> {
  if (cost === undefined && !keys && !tier) return (args) => ({ request: host.requestOf(...args) });
  const readers = Object.entries(keys ?? {});
  return async (args) => {
    const units = typeof cost === 'function' ? await cost(...args) : cost;
    const known = await Promise.all(readers.map(async ([name, read]) => [name, await read(...args)] as const));
    const named = known.flatMap(([name, key]) => (key === undefined || key === null ? [] : [[name, key] as const]));
    const plan = await tier?.(...args);
    return {
      request: host.requestOf(...args),
      ...(units !== undefined && { cost: units }),
      ...(named.length > 0 && { keys: Object.fromEntries(named) }),
      ...(plan !== undefined && { tier: plan }),
    };
  };
}

/** The methods of the handle. Only requests can be asked about, because the owner of the limits finds the keys. */
export function limiterVerbs<A extends Args>(
  { limiter }: LimiterOptions<A>,
  callOf: (args: A) => Eventual<RequestCall>,
): Omit<PolicyHandle<A>, 'policy'> {
  const decisions = limiter[REQUEST_LIMITER];
  const about =
    <T>(verb: string, ask: (call: RequestCall) => Eventual<T>) =>
    async (...args: readonly unknown[]): Promise<T> => {
      const [first] = args;
      if (typeof first !== 'object' || first === null || Array.isArray(first))
        throw unsupported(`${verb}(key)`, limiter.name);
      return whenReady(callOf(args as A), ask);
    };
  const never = (verb: string) => async (): Promise<never> => {
    throw unsupported(verb, limiter.name);
  };
  return {
    peek: about('peek', (call) => decisions.peek(call)),
    consume: about('consume', (call) => decisions.consume(call)),
    reserve: about('reserve', async (call) => (await decisions.reserve(call)) ?? decisions.uncounted),
    correct: never('correct'),
    reset: never('reset'),
    block: never('block'),
    unblock: never('unblock'),
    blocked: never('blocked'),
    inspect: never('inspect'),
  };
}

function unsupported(verb: string, policy: string): SluiceError {
  const message = `${verb} is not possible for ${JSON.stringify(policy)}, because its limits and keys are elsewhere: pass a request, or ask its owner`;
  return new SluiceError('SLUICE_UNSUPPORTED', message);
}

import type { Decision } from '../decision.js';
import type { Key } from '../key.js';
import type { Engine } from '../limiter/engine.js';
import type { Spend } from '../limiter/limiter.js';
import type { Args } from '../limiter/policy-options.js';
import { checkOptions } from '../option-checks.js';

/** Answers as if, and spends nothing. Rejects as requests would fail, and with `SLUICE_UNSUPPORTED` as told below. */
export interface Peek<A extends Args> {
  /**
   * About a key in every limit of the policy: `peek(ipKey('203.0.113.7'))`. A limit or a cost that is a function of the
   * request cannot be told of a key alone (`SLUICE_UNSUPPORTED`).
   */
  (key: Key, options?: Spend): Promise<Decision>;
  /** About a request, by what callbacks get. Address lists are not asked. */
  (...args: A): Promise<Decision>;
}

type ByKey = [key: Key, options?: Spend | undefined];

/** The `peek` of a policy's handle, by the engine that asks for the policy. */
export function peekOf<A extends Args>(engine: Engine<A>): Peek<A> {
  return async (...who: A | ByKey) => {
    if (!isByKey(who)) return engine.peek(who);
    const [key, options = {}] = who;
    checkOptions(options, ['cost']);
    return engine.peekAt(key, options.cost);
  };
}

/** A framework's request is an object, and no list. Nothing in its place is told as a key that is none. */
function isByKey<A extends Args>(who: A | ByKey): who is ByKey {
  const [first] = who;
  return who.length > 0 && (typeof first !== 'object' || first === null || Array.isArray(first));
}

import { createLimiter, prepareReplacement } from '@sluice/core';
import { optionError } from '@sluice/core/values';
import type { CompiledPolicy } from '../compile/compile-context.js';

/** The options that the file says, or leaves to the code of `policies`. */
const OF_FILE = new Set([
  ...['name', 'store', 'limit', 'window', 'limits', 'cost', 'quotaUnit', 'enforce', 'keyGenerator', 'skip'],
  ...['slowDown', 'tolerance', 'guarantee', 'lend', 'onStoreError', 'allowList', 'denyList', 'onMissingKey'],
]);

/** Counts every request, in place of a `skip` that was there before. */
const NEVER = (): boolean => false;

/**
 * The options objects that live policies give out: one for each name, for ever. The middleware and limiters that are made from
 * an object follow it, because the object owns the name of its policy.
 */
export class PolicyHandles<Req extends object, Async extends boolean> {
  readonly #byName = new Map<string, CompiledPolicy<Req, Async>>();
  /** By its object, a limiter of each policy. The core replaces only what somebody keeps. */
  readonly #limiters = new Map<object, unknown>();

  get(name: string): CompiledPolicy<Req, Async> | undefined {
    return this.#byName.get(name);
  }

  /**
   * Returns the object of a policy with options that only HTTP has.
   *
   * @throws SluiceError `SLUICE_OPTION` if an option belongs to the file, or another one was given before
   */
  extended(name: string, http: Readonly<Record<string, unknown>>): CompiledPolicy<Req, Async> | undefined {
    const handle: Record<string, unknown> & CompiledPolicy<Req, Async> = Object(this.#byName.get(name));
    for (const [option, value] of Object.entries(http)) {
      if (OF_FILE.has(option)) throw optionError(option, 'must not be given in code: the policy file says it', value);
      if (option in handle && handle[option] !== value) {
        throw optionError(option, `was given to policy(${JSON.stringify(name)}) with another value before`, value);
      }
    }
    return Object.assign(handle, http);
  }

  /**
   * Prepares to put all these policies into force together. Nothing changes until the returned function is called, which does
   * not fail. If one policy cannot be replaced, none is.
   *
   * @throws SluiceError whatever the core finds wrong with a policy, such as `SLUICE_UNSUPPORTED` for this store
   */
  prepare(compiled: readonly CompiledPolicy<Req, Async>[]): () => void {
    const puttings = compiled.map((policy) => this.#prepareOne(policy));
    return () => {
      for (const put of puttings) put();
    };
  }

  #prepareOne(policy: CompiledPolicy<Req, Async>): () => void {
    const handle = this.#byName.get(policy.name);
    if (!handle) return this.#add(policy);
    const { store: _, ...changed } = policy;
    const put = prepareReplacement(handle, handle.skip && !policy.skip ? { ...changed, skip: NEVER } : changed);
    return () => {
      put();
      Object.assign(handle, policy.skip || !handle.skip ? policy : { ...policy, skip: NEVER });
    };
  }

  /**
   * Claims the name with a limiter of its own, so that the core checks the policy now, and can replace it even if nothing else
   * uses it yet.
   */
  #add(policy: CompiledPolicy<Req, Async>): () => void {
    const handle = { ...policy };
    this.#limiters.set(handle, createLimiter({ ...policy }, handle));
    this.#byName.set(policy.name, handle);
    return () => {};
  }
}

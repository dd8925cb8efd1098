import { createLimiter, prepareReplacement } from '@sluice/core';
import { optionError, ownedBy } from '@sluice/core/values';
import type { CompiledPolicy } from '../compile/compile-context.js';

/** The options that the file says, or leaves to the code of `policies`. */
const OF_FILE = new Set([
  ...['name', 'store', 'limit', 'window', 'limits', 'cost', 'quotaUnit', 'enforce', 'keyGenerator', 'skip'],
  ...['slowDown', 'tolerance', 'guarantee', 'lend', 'onStoreError', 'allowList', 'denyList', 'onMissingKey'],
]);

/** Counts every request, in place of a `skip` that was there before. */
const NEVER = (): boolean => false;

/** A policy with options that only HTTP has. */
interface Form<Req extends object, Async extends boolean> {
  readonly http: Readonly<Record<string, unknown>>;
  readonly options: CompiledPolicy<Req, Async>;
}

/**
 * The options objects that live policies give out, for ever: one for each name, and one for each set of options that only HTTP has. The
 * middleware and limiters that are made from any of them follow the policy, because the first one owns its name.
 */
export class PolicyHandles<Req extends object, Async extends boolean> {
  readonly #byName = new Map<string, CompiledPolicy<Req, Async>>();
  readonly #forms = new Map<string, Form<Req, Async>[]>();
  /** By its object, a limiter of each policy. The core replaces only what somebody keeps. */
  readonly #limiters = new Map<object, unknown>();

  get(name: string): CompiledPolicy<Req, Async> | undefined {
    return this.#byName.get(name);
  }

  /**
   * Returns the object of a policy, with options that only HTTP has.
   *
   * @throws SluiceError `SLUICE_OPTION` if an option belongs to the file, or another one was given before
   */
  extended(handle: CompiledPolicy<Req, Async>, given: Readonly<Record<string, unknown>>): CompiledPolicy<Req, Async> {
    const http = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const names = Object.keys(http);
    if (names.length === 0) return handle;
    const forms = this.#formsOf(handle.name);
    for (const option of names) {
      if (OF_FILE.has(option))
        throw optionError(option, 'must not be given in code: the policy file says it', http[option]);
      // A function that is made anew for each request would make as many forms.
      if (forms.some(({ http: known }) => option in known && known[option] !== http[option])) {
        const rule = `was given to policy(${JSON.stringify(handle.name)}) with another value before`;
        throw optionError(option, rule, http[option]);
      }
    }
    const same = forms.find(({ http: known }) => hasAll(known, names) && hasAll(http, Object.keys(known)));
    if (same) return same.options;
    const options = ownedBy({ ...handle, ...http }, handle);
    forms.push({ http, options });
    return options;
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
    const whole = handle.skip && !policy.skip ? { ...policy, skip: NEVER } : policy;
    const { store: _, ...changed } = whole;
    const put = prepareReplacement(handle, changed);
    return () => {
      put();
      for (const options of [handle, ...this.#formsOf(policy.name).map((form) => form.options)])
        Object.assign(options, whole);
    };
  }

  #formsOf(name: string): Form<Req, Async>[] {
    const forms = this.#forms.get(name) ?? [];
    this.#forms.set(name, forms);
    return forms;
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

function hasAll(options: object, names: readonly string[]): boolean {
  return names.every((name) => name in options);
}

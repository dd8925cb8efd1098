import { inspect } from 'node:util';
import type { SluiceWarningCode } from '../error.js';
import { getOrMake } from '../get-or-make.js';
import type { Item } from '../limiter/policy.js';
import type { ProxyTrust } from './proxy-trust.js';
import type { HttpRequest } from './request.js';

/** The page about a warning, in this package. */
const PAGES: Readonly<Record<SluiceWarningCode, string>> = {
  SLUICE_PROXY_UNTRUSTED: 'behind-a-proxy.md',
  SLUICE_PROXY_TRUSTS_ALL: 'behind-a-proxy.md',
  SLUICE_KEY_ABSENT: 'errors.md',
  SLUICE_HOOK_FAILED: 'errors.md',
  SLUICE_FIELD_LEFT_OUT: 'errors.md',
  SLUICE_REDIS_EVICTS: 'errors.md',
  SLUICE_NO_GUARD: 'errors.md',
};

/**
 * Tells of a configuration that is legal and dangerous, by a process warning that names its page. To say it once is up to the
 * caller.
 *
 * @example warn('SLUICE_NO_GUARD', 'There are policies, but no guard that counts.');
 */
export function warn(code: SluiceWarningCode, message: string): void {
  process.emitWarning(message, {
    type: 'SluiceWarning',
    code,
    detail: `See node_modules/@sluice/core/docs/${PAGES[code]}`,
  });
}

/** Warns, once per policy, when the headers that come in and the framework's proxy settings contradict each other. */
export class ProxyWatch {
  #isDone = false;

  isConcerned(request: HttpRequest): boolean {
    return !this.#isDone && request.headers['x-forwarded-for'] !== undefined;
  }

  look(trust: ProxyTrust | undefined): void {
    this.#isDone = true;
    if (trust === 'none') {
      warn(
        'SLUICE_PROXY_UNTRUSTED',
        'A request came with X-Forwarded-For, but no proxy is trusted: all clients of that proxy are counted as one address. Tell the framework which proxies to trust.',
      );
    } else if (trust === 'all') {
      warn(
        'SLUICE_PROXY_TRUSTS_ALL',
        'Every proxy is trusted: a client can choose its own address with X-Forwarded-For, and with it its own limit. Trust only the proxies that are yours.',
      );
    }
  }
}

/** So many requests without one key are no coincidence. */
const PATIENCE = 20;

/** Warns, once per limit, when a `keyGenerator` has never yet answered. */
export class KeyWatch {
  readonly #absent = new Map<Item<never>, number>();

  answered(item: Item<never>): void {
    if (this.#absent.get(item) !== Number.POSITIVE_INFINITY) this.#absent.set(item, Number.POSITIVE_INFINITY);
  }

  absent(item: Item<never>): void {
    const absent = (this.#absent.get(item) ?? 0) + 1;
    this.#absent.set(item, absent);
    if (absent !== PATIENCE) return;
    warn(
      'SLUICE_KEY_ABSENT',
      `The keyGenerator of ${JSON.stringify(item.name)} gave no key for any of the first ${PATIENCE} requests, so they are counted by address. Does it run before what it reads is there?`,
    );
  }
}

/** Warns, once per policy, of a field of the service's own that was left out. */
export class FieldWatch {
  #isDone = false;

  leftOut(name: string, reason: string): void {
    if (this.#isDone) return;
    this.#isDone = true;
    const shown = JSON.stringify(name.slice(0, 60));
    warn('SLUICE_FIELD_LEFT_OUT', `extraHeaders gave a field that was left out: ${shown} ${reason}`);
  }
}

const failedHooks = new WeakMap<object, Set<string>>();

/**
 * Tells, once per policy, of a hook that failed where no error handler can hear of it.
 *
 * @param consequence - what becomes of the request then.
 */
export function warnOfHook(options: object, hook: string, consequence: string, error: unknown): void {
  const failed = getOrMake(failedHooks, options, () => new Set<string>());
  if (failed.has(hook)) return;
  failed.add(hook);
  // Anything may have been thrown, also what no text can be made of.
  const reason = inspect(error, { customInspect: false });
  warn('SLUICE_HOOK_FAILED', `${hook} failed, ${consequence}: ${reason}`);
}

import { type SluiceWarningCode, show } from './error.js';
import { getOrCreate } from './get-or-create.js';
import { NODE } from './node.js';
import { helpOf, SITE } from './site.js';

/** The page of the documentation that explains a warning, if it is not the page of errors. */
const PAGES: Readonly<Partial<Record<SluiceWarningCode, string>>> = {
  SLUICE_PROXY_UNTRUSTED: 'behind-a-proxy.md',
  SLUICE_PROXY_TRUSTS_ALL: 'behind-a-proxy.md',
  SLUICE_FORWARDED_UNREAD: 'behind-a-proxy.md',
};

/** Emits a process warning that names the page which explains it. A browser has no such warnings, so that it is printed there. */
export function warn(code: SluiceWarningCode, message: string): void {
  const type = 'SluiceWarning';
  const detail = `See ${SITE ? helpOf(code) : `node_modules/@sluice/core/docs/${PAGES[code] ?? 'errors.md'}`}`;
  if (NODE?.emitWarning) NODE.emitWarning(message, { type, code, detail });
  else console.warn(`[${code}] ${type}: ${message}\n${detail}`);
}

/**
 * Warns about a function of the user that failed after no error handler could handle it.
 *
 * @param consequence - what happens to the request then
 */
export function warnOfFailure(what: string, consequence: string, error: unknown): void {
  warn('SLUICE_HOOK_FAILED', `${what} failed, ${consequence}: ${textOfThrown(error)}`);
}

const failedHooks = new WeakMap<object, Set<string>>();

/**
 * Warns, once per policy, about a hook that failed after no error handler could handle it.
 *
 * @param consequence - what happens to the request then
 */
export function warnOfHook(options: object, hook: string, consequence: string, error: unknown): void {
  const failed = getOrCreate(failedHooks, options, () => new Set<string>());
  if (failed.has(hook)) return;
  failed.add(hook);
  warnOfFailure(hook, consequence, error);
}

/** Anything may have been thrown, even a value that cannot be converted to text. */
export function textOfThrown(error: unknown): string {
  const util = NODE?.getBuiltinModule('node:util');
  if (util) return util.inspect(error, { customInspect: false });
  return error instanceof Error && typeof error.stack === 'string' ? error.stack : show(error);
}

import type { Store } from '../stores/store.js';
import { CHANNELS, publish } from '../values/events.js';
import { recordFailure } from '../values/failure-metrics.js';
import type { PolicyRecorder } from '../values/policy-recorder.js';
import { textOfThrown, warn } from '../values/warning.js';
import type { Policy } from './policy/parse.js';

/** How long the next warning about a failing store waits. */
const QUIET_MS = 60_000;

const CONSEQUENCES = {
  local: 'requests are counted in this process only, by its share of the limits',
  allow: 'requests are admitted without being counted',
};

/** What fails: a store, or anything else that decides. */
type Failing = Pick<Store, 'clock'>;

const warnedAtMs = new WeakMap<Failing, number>();

/** Counts and publishes that a store failed a policy, and who decides in its place. It also warns, but not each time. */
export function reportStoreFailure(
  store: Failing,
  recorder: PolicyRecorder,
  choice: Policy<never>['onStoreError'],
  error: unknown,
): void {
  const { policy } = recorder;
  recordFailure(recorder.storeErrors, error);
  publish('sluice:store-error', { error, policy, source: choice });
  warnOfStore(store, policy, choice, error);
}

/**
 * Warns that a store fails, once a minute for each store. It warns only under `'local'` and `'allow'`, where clients
 * notice nothing, and only if nobody listens to `sluice:store-error`.
 */
function warnOfStore(store: Failing, policy: string, choice: Policy<never>['onStoreError'], error: unknown): void {
  if (choice === 'deny' || CHANNELS['sluice:store-error'].hasSubscribers) return;
  const nowMs = timeOf(store);
  const lastMs = warnedAtMs.get(store);
  if (lastMs !== undefined && nowMs >= lastMs && nowMs - lastMs < QUIET_MS) return;
  warnedAtMs.set(store, nowMs);
  const reason = error instanceof Error ? error.message : textOfThrown(error);
  warn(
    'SLUICE_STORE_FAILING',
    `The store of the policy ${JSON.stringify(policy)} fails. Because of onStoreError '${choice}', ${CONSEQUENCES[choice]}: ${reason}`,
  );
}

/** The clock may be what fails. Then one warning is enough. */
function timeOf({ clock }: Failing): number {
  try {
    return clock.now();
  } catch {
    return 0;
  }
}

import { fixedWindow, type LimitCheck, SluiceError, type SluiceErrorCode, type Store } from '@sluice/core';
import { type Algorithm, DEFINITIONS, isAlgorithm } from '@sluice/core/store';
import { checkOptions, optionError } from '@sluice/core/values';
import * as assert from '../assert.js';
import { calendarBoundsAround } from './calendar-bounds.js';

/** True if the store has the capability. Otherwise text that says why it has not: the suite prints it. */
export type Claim = true | string;

/**
 * What the author of a store says that it can do. There is no default: a store that can do less than others says so here, so
 * that nobody finds it out by a policy that fails.
 */
export interface StoreClaims {
  /** Decisions are exact: `supports.exact` is not false. */
  readonly exact: Claim;
  /** Checks with different keys are spent together or not at all: `supports.atomicAcrossKeys`. */
  readonly acrossKeys: Claim;
  /** Checks may have a `margin`. */
  readonly margins: Claim;
  /** Checks may have `parts`: parts of limits may be guaranteed. */
  readonly guarantees: Claim;
  /** Limits may follow a calendar. */
  readonly calendars: Claim;
  /** Keys can be blocked by hand: the store has `blocks`. */
  readonly blocks: Claim;
  /** Every algorithm; or the reason for each that `supports.algorithms` leaves out. */
  readonly algorithms: true | Readonly<Partial<Record<Algorithm, string>>>;
}

/** A capability that a rule may need. */
export type Need = Exclude<keyof StoreClaims, 'algorithms'> | Algorithm;

const ALGORITHMS = DEFINITIONS.map(({ algorithm }) => algorithm);

const CLAIMS = ['exact', 'acrossKeys', 'margins', 'guarantees', 'calendars', 'blocks', 'algorithms'] as const;

/**
 * Checks that every capability is claimed or explained.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkClaims(claims: StoreClaims): void {
  checkOptions(claims, CLAIMS, 'claims');
  for (const name of CLAIMS) {
    const claim = claims[name];
    const isByAlgorithm = name === 'algorithms' && typeof claim === 'object';
    if (!isByAlgorithm) checkClaim(claim, `claims.${name}`);
    else checkReasons(claim);
  }
}

function checkReasons(reasons: object): void {
  checkOptions(reasons, ALGORITHMS, 'claims.algorithms');
  for (const [algorithm, why] of Object.entries(reasons)) checkClaim(why, `claims.algorithms.${algorithm}`);
}

function checkClaim(claim: unknown, path: string): void {
  if (claim === true || (typeof claim === 'string' && claim.trim() !== '')) return;
  throw optionError(path, 'must be true, or text that says why the store has not got it', claim);
}

/** Returns which of these capabilities the store has not got, and why; undefined if it has all. */
export function lackOf(claims: StoreClaims, needs: readonly Need[]): string | undefined {
  for (const need of needs) {
    const claim = isAlgorithm(need) ? claimOfAlgorithm(claims, need) : claims[need];
    if (claim !== true) return `not ${need}: ${claim}`;
  }
  return undefined;
}

function claimOfAlgorithm({ algorithms }: StoreClaims, algorithm: Algorithm): Claim {
  return algorithms === true ? true : (algorithms[algorithm] ?? true);
}

/** Checks that the store has what is claimed, and nothing more. */
export async function assertClaims(store: Store, claims: StoreClaims): Promise<void> {
  const { supports } = store;
  const taken = ALGORITHMS.filter((algorithm) => supports.algorithms?.includes(algorithm) ?? true);
  const has: Readonly<Record<Exclude<keyof StoreClaims, 'algorithms'>, boolean>> = {
    exact: supports.exact !== false,
    acrossKeys: supports.atomicAcrossKeys,
    blocks: store.blocks !== undefined,
    margins: await decides(store, [{ ...CHECK, margin: 1 }]),
    guarantees: await decides(store, [GUARANTEED]),
    calendars: await decides(store, [calendarCheck(store)]),
  };
  for (const [name, isThere] of Object.entries(has)) {
    const claim = claims[name as keyof typeof has];
    assert.equal(
      isThere,
      claim === true,
      `${name}: the store ${isThere ? 'has' : 'has not got'} what claims.${name} says`,
    );
  }
  const claimed = ALGORITHMS.filter((algorithm) => claimOfAlgorithm(claims, algorithm) === true);
  assert.deepEqual(taken, claimed, 'algorithms: supports.algorithms are those of claims.algorithms');
  for (const verb of store.blocks ? (['block', 'unblock', 'find', 'list'] as const) : [])
    assert.equal(typeof store.blocks?.[verb], 'function', `blocks.${verb} is a function`);
}

const CHECK = {
  policy: 'claims',
  name: 'limit',
  key: 'ann',
  limit: fixedWindow({ limit: 100, window: '1m' }),
  cost: 1,
};

const GUARANTEED: LimitCheck = {
  ...CHECK,
  name: 'whole',
  parts: {
    own: { ...CHECK, name: 'own part', shadow: true },
    all: { ...CHECK, name: 'all parts', shadow: true },
    lend: 1,
  },
};

function calendarCheck({ clock }: Store): LimitCheck {
  const window = { unit: 'month', timeZone: 'UTC' } as const;
  const limit = fixedWindow({ limit: 100, window });
  return { ...CHECK, name: 'month', limit, calendarBoundsMs: calendarBoundsAround(window, clock.now()) };
}

const REFUSING: readonly SluiceErrorCode[] = ['SLUICE_UNSUPPORTED', 'SLUICE_OPTION'];

/** Whether the store decides about such checks at all. */
async function decides(store: Store, checks: readonly LimitCheck[]): Promise<boolean> {
  try {
    await store.consume({ checks });
    return true;
  } catch (error) {
    if (error instanceof SluiceError && REFUSING.includes(error.code)) return false;
    throw error;
  }
}

import {
  type Change,
  type ChangeResult,
  type Correction,
  type Limit,
  type LimitCheck,
  SluiceError,
  type SluiceErrorCode,
  type Store,
  type StoreRequest,
  type StoreResponse,
  type StoreVerdict,
  type Target,
  type Verdict,
} from '@sluice/core';
import { keptBack, unitChecks } from '@sluice/core/store';
import type { ManualClock } from '@sluice/core/testing';
import * as assert from '../assert.js';
import type { Figures } from '../vectors.js';
import type { Need } from './claims.js';
import { EVERY_LIMIT } from './every-limit.js';

/** A test, and the capabilities that a store needs for it. */
export interface Rule {
  readonly needs: readonly Need[];
  readonly run: (fixture: StoreFixture) => Promise<void>;
}

/** Tests by their titles. A function is a rule for every store. */
export type Rules = Readonly<Record<string, Rule | Rule['run']>>;

/** Rules by the subject under which their tests are listed. */
export type Subjects = Readonly<Record<string, Rules>>;

/** Returns a rule in full. */
export function ruleOf(rule: Rules[string]): Rule {
  return typeof rule === 'function' ? { needs: [], run: rule } : rule;
}

/** A rule for stores with this capability. */
export function needing(need: Need, rule: Rules[string]): Rule {
  const { needs, run } = ruleOf(rule);
  return { needs: [need, ...needs], run };
}

/** A rule that holds only for stores with exact decisions. */
export const exactly = (rule: Rules[string]): Rule => needing('exact', rule);

/** A rule about slots. */
export const withSlots = (rule: Rules[string]): Rule => needing('concurrency', rule);

/** Asks about each of these while the others are asked about, too: what has different keys or names does not wait for each other. */
export function atOnce<T, R>(items: readonly T[], ask: (item: T) => Promise<R>): Promise<R[]> {
  return Promise.all(items.map(ask));
}

/** A store under test, and its clock. Every reply is checked for what all replies have in common. */
export class StoreFixture {
  constructor(
    readonly store: Store,
    readonly clock: ManualClock,
  ) {}

  /** Whether the decisions of the store are exact. */
  get isExact(): boolean {
    return this.store.supports.exact !== false;
  }

  takes({ algorithm }: Limit): boolean {
    const { algorithms } = this.store.supports;
    return algorithms === undefined || algorithms.includes(algorithm);
  }

  /** The limits that the store supports, by their names in messages. */
  get limits(): readonly (readonly [name: string, limit: Limit])[] {
    return Object.entries(EVERY_LIMIT).filter(([, limit]) => this.takes(limit));
  }

  check(limit: Limit, own: Partial<LimitCheck> = {}): LimitCheck {
    return { policy: 'policy', name: 'limit', key: 'ann', limit, cost: 1, ...own };
  }

  async consume(
    checks: LimitCheck | readonly LimitCheck[],
    own: Omit<StoreRequest, 'checks'> = {},
  ): Promise<StoreResponse> {
    const ask = { checks: [checks].flat(), ...own };
    const reply = await this.store.consume(ask);
    assertWellFormed(reply, ask);
    for (const [i, verdict] of this.isExact ? reply.verdicts.entries() : [])
      assertUsed(verdict, ask.checks[i] as LimitCheck);
    return reply;
  }

  /** Returns a reply as it is repeated now. */
  repeated(reply: StoreResponse): StoreResponse {
    return { ...reply, nowMs: this.clock.now() };
  }

  peek(checks: LimitCheck | readonly LimitCheck[], own: Omit<StoreRequest, 'checks'> = {}): Promise<StoreResponse> {
    return this.consume(checks, { ...own, peek: true });
  }

  async adjust(checks: Correction | readonly Correction[], own: Omit<Change, 'checks'> = {}): Promise<ChangeResult> {
    const change = { checks: [checks].flat(), ...own };
    const { atMs, result, verdicts } = await this.store.adjust(change);
    assertWhole(atMs, 'atMs');
    if (result === 'outside-calendar-bounds') {
      assert.deepEqual(verdicts, [], 'a change outside the boundaries has no verdicts');
      return result;
    }
    const look = await this.peek(unitChecks(change.checks));
    assertWellFormedVerdicts(verdicts, change.checks);
    assertOwnLimits(verdicts, change.checks);
    if (this.isExact) assert.deepEqual(verdicts, look.verdicts, 'a change reports the state after it');
    return result;
  }

  /** Resets keys. Returns how many states were removed. */
  async reset(...targets: readonly Target[]): Promise<number> {
    return await this.store.reset(targets.map(({ policy, name, key }) => ({ policy, name, key })));
  }

  /** Returns the units that a peek at one unit reports as remaining. */
  async remaining(check: LimitCheck): Promise<number> {
    return onlyVerdict(await this.peek({ ...check, cost: 1 })).remaining;
  }

  /** Checks the error of a call. It works for stores that throw and for stores that reject. */
  async refusesWith(code: SluiceErrorCode, call: () => unknown): Promise<SluiceError> {
    try {
      await call();
    } catch (error) {
      if (error instanceof SluiceError && error.code === code) return error;
    }
    return assert.fail(`must fail with a SluiceError of code ${code}`);
  }
}

export function onlyVerdict({ verdicts }: StoreResponse): Verdict {
  assert.equal(verdicts.length, 1, 'one check has one verdict');
  return verdicts[0] as Verdict;
}

/** Returns the numbers of a verdict in the form of the vectors. */
export function figuresOf(verdict: Verdict): Required<Figures> {
  const { remaining, resetAfterMs, retryAfterMs, delayMs, used, overQuota = 0 } = verdict;
  return [remaining, resetAfterMs, retryAfterMs, delayMs, used, overQuota];
}

function assertWellFormed(reply: StoreResponse, { checks, atLeast }: StoreRequest): void {
  assertWhole(reply.atMs, 'atMs');
  if (reply.outsideCalendarBounds) {
    assert.equal(reply.allowed, false, 'outside the boundaries nothing is allowed');
    return;
  }
  assert.equal(typeof reply.allowed, 'boolean');
  const { timesMs = [] } = reply;
  assert.ok(timesMs.length === 0 || timesMs.length === checks.length, 'each check has a time, or no check has one');
  for (const timeMs of timesMs) if (timeMs !== undefined) assertWhole(timeMs, 'timesMs');
  if (atLeast !== undefined) assertWhole(reply.taken, 'taken');
  assertWellFormedVerdicts(reply.verdicts, checks);
  // A repeated reply may be that of an earlier request.
  if (reply.nowMs === undefined) assertOwnLimits(reply.verdicts, checks);
}

function assertWellFormedVerdicts(verdicts: readonly StoreVerdict[], checks: readonly LimitCheck[]): void {
  assert.deepEqual(
    verdicts.map(({ name, shadow }) => [name, shadow]),
    checks.map(({ name, shadow }) => [name, shadow]),
    'the verdicts are in the order of the checks',
  );
  verdicts.forEach(assertWellFormedVerdict);
  verdicts.forEach(({ name, parts }, i) => {
    const asked = checks[i]?.parts;
    assert.equal(parts !== undefined, asked !== undefined, `${name}: a verdict has parts if its check has`);
    if (parts && asked) assertWellFormedVerdicts([parts.own, parts.all], [asked.own, asked.all]);
  });
}

/** Checks that a limit is the very object of the check, by which an application knows it, and no copy that came over a network. */
function assertOwnLimits(verdicts: readonly StoreVerdict[], checks: readonly LimitCheck[]): void {
  verdicts.forEach(({ name, limit, parts }, i) => {
    const asked = checks[i];
    assert.ok(limit === asked?.limit, `${name}: the limit of a verdict is that of its check, the same object`);
    if (parts && asked?.parts) assertOwnLimits([parts.own, parts.all], [asked.parts.own, asked.parts.all]);
  });
}

function assertWellFormedVerdict(verdict: Verdict): void {
  const { remaining, used, resetAfterMs, retryAfterMs, delayMs, overQuota } = verdict;
  assert.equal(typeof verdict.allowed, 'boolean');
  assertWhole(remaining, 'remaining');
  assertWhole(used, 'used');
  if (resetAfterMs !== 'never') assertWhole(resetAfterMs, 'resetAfterMs');
  if (retryAfterMs !== 'never') assertWhole(retryAfterMs, 'retryAfterMs');
  assertWhole(delayMs, 'delayMs');
  if (overQuota !== undefined)
    assert.ok(Number.isSafeInteger(overQuota) && overQuota > 0, 'overQuota, if it is there, is above 0');
}

/**
 * Checks that the units which are not used remain. If nothing remains, the key may be in debt or blocked, or there is
 * no room for another key.
 */
function assertUsed({ name, limit, remaining, used, parts }: StoreVerdict, check: LimitCheck): void {
  if (check.parts && parts) {
    // What remains of a limit depends on its parts.
    assertUsed(parts.own, check.parts.own);
    assertUsed(parts.all, check.parts.all);
  } else if (remaining > 0)
    assert.equal(used, limit.quota + keptBack(check.margin ?? 0) - remaining, `${name}: what is not used remains`);
}

function assertWhole(value: number | undefined, what: string): void {
  const isWhole = Number.isSafeInteger(value) && (value as number) >= 0 && !Object.is(value, -0);
  assert.ok(isWhole, `${what} must be a whole number of at least 0, got ${Object.is(value, -0) ? '-0' : value}`);
}

import { definitionOf } from '@sluice/core/src/algorithms/definitions';
import { type BegunBlock, blockedHash } from '@sluice/core/src/stores/blocks';
import { areOutside, CheckEvaluation, corrected, mostThatFits } from '@sluice/core/src/stores/check-evaluation';
import { guaranteeAt } from '@sluice/core/src/stores/guarantee';
import {
  changeKeptMs,
  isRemembered,
  madeBy,
  notMadeBecause,
  type OperationRecord,
  type RememberedRequest,
  replayOrDecide,
  slotIdOf,
} from '@sluice/core/src/stores/operation-record';
import { verdictOf } from '@sluice/core/src/stores/reply';
import type {
  Change,
  ChangeResponse,
  Correction,
  LimitCheck,
  StoreRequest,
  StoreResponse,
} from '@sluice/core/src/stores/store';
import { tooLateError } from '@sluice/core/src/stores/store-failure';
import { unitChecks } from '@sluice/core/src/stores/unit-checks';
import type { Verdict } from '@sluice/core/src/values/decision';
import { countableChange, countableRequest } from './countable.js';
import { operationKey, stateKey } from './entry-keys.js';
import type { OpenEntries, OpenEntry } from './open-entries.js';
import { decodeRecord, encodeMade, encodeRecord, isKnownOperation, madeIn } from './operation-values.js';
import { isKnownState } from './state-values.js';

/**
 * An operation that reads entries and may change them. It may run several times, each time on entries that were just
 * read.
 */
export interface Operation<T = unknown> {
  readonly keys: readonly string[];
  /** The deadline, in the database's time. */
  readonly notAfterMs: number | undefined;
  /** Changes entries only if it returns. If it throws, the entries are unchanged. */
  run(entries: OpenEntries): T;
}

/** A decision, and the blocks that limits have set with it. */
interface Decided {
  readonly response: StoreResponse;
  readonly begun?: readonly BegunBlock[];
}

/**
 * Returns a request as an operation. Its result is about the listed parts: see `listParts`.
 *
 * @throws SluiceError as `countableRequest`
 */
export function consumeOperation(asked: StoreRequest): Operation<Decided> {
  const request = countableRequest(asked);
  const { checks, notAfterMs } = request;
  const keys = checks.map(stateKey);
  return {
    keys: isRemembered(request) ? [...keys, recordKey(request)] : keys,
    notAfterMs,
    run(entries) {
      const { nowMs } = entries;
      if (notAfterMs !== undefined && nowMs > notAfterMs) throw tooLateError(nowMs);
      return isRemembered(request) ? decideOnce(request, keys, entries) : decideAnew(request, keys, entries);
    },
  };
}

function recordKey({ id }: RememberedRequest): string {
  return operationKey('ask', id);
}

function decideOnce(request: RememberedRequest, keys: readonly string[], entries: OpenEntries): Decided {
  const { checks, holdMs } = request;
  const { nowMs } = entries;
  const entry = entries.of(recordKey(request));
  entry.check(isKnownOperation, nowMs);
  let decided: Decided | undefined;
  const kept = {
    record: entry.text === undefined ? undefined : decodeRecord(entry.text, checks, nowMs),
    holdsSlot: (check: LimitCheck, i: number, slotId: string) =>
      evaluationOf(check, entries.of(keys[i] as string), nowMs).limitState.holdsSlot(slotId),
    decide: () => {
      decided = decideAnew(request, keys, entries);
      return decided.response;
    },
    remember: (record: OperationRecord) => entry.setText(encodeRecord(record, nowMs + holdMs), holdMs),
  };
  const response = replayOrDecide(request, kept, nowMs);
  return { ...decided, response };
}

function decideAnew(request: StoreRequest, keys: readonly string[], entries: OpenEntries): Decided {
  const { nowMs } = entries;
  if (!areOutside(request.checks, nowMs)) return decide(request, keys, entries);
  return { response: { atMs: nowMs, allowed: false, verdicts: [], outsideCalendarBounds: true } };
}

/** The same for a change. */
export function adjustOperation(asked: Change): Operation<ChangeResponse> {
  const change = countableChange(asked);
  const { checks, id, notAfterMs } = change;
  const keys = checks.map(stateKey);
  const madeKey = id === undefined ? undefined : operationKey('change', id);
  return {
    keys: madeKey === undefined ? keys : [...keys, madeKey],
    notAfterMs,
    run(entries) {
      const { nowMs } = entries;
      if (areOutside(checks, nowMs)) return { atMs: nowMs, result: 'outside-calendar-bounds', verdicts: [] };
      const madeEntry = madeKey === undefined ? undefined : entries.of(madeKey);
      madeEntry?.check(isKnownOperation, nowMs);
      const made = madeEntry?.text === undefined ? undefined : madeIn(madeEntry.text, nowMs);
      const result = notMadeBecause(change, made, nowMs);
      if (result) {
        const evaluations = checks.map((check, i) => evaluationOf(check, entries.of(keys[i] as string), nowMs));
        const verdicts = unitVerdicts(checks, evaluations);
        return { atMs: nowMs, result, verdicts };
      }
      return correct(change, keys, entries, madeEntry);
    },
  };
}

function decide(request: StoreRequest, keys: readonly string[], entries: OpenEntries): Decided {
  const { checks, atLeast, peek, renew } = request;
  const { nowMs } = entries;
  const evaluations = checks.map((check, i) => evaluationOf(check, entries.of(keys[i] as string), nowMs));
  judgeAll(request, evaluations);
  const allowed = evaluations.every((evaluation) => evaluation.allowed || evaluation.isShadow);
  const taken = atLeast === undefined ? undefined : mostThatFits(evaluations, atLeast);
  if (peek !== true) {
    // A renewal is not a new request: each slot is renewed, or not, by itself.
    const maySpend = (allowed && !peek) || renew !== undefined;
    const slotId = slotIdOf(request);
    for (const [i, evaluation] of evaluations.entries()) {
      const isChanged = evaluation.record(evaluation.unitsFor(request, maySpend, taken), maySpend, slotId);
      if (!isChanged) continue;
      entries.of(keys[i] as string).setState(evaluation.limitState, definitionOf(evaluation.limit).kernel, nowMs);
    }
  }
  const verdicts = verdictsOf(checks, evaluations);
  const response = { atMs: nowMs, allowed, verdicts };
  const begun = evaluations.flatMap((evaluation, i) => begunBlock(evaluation, checks[i] as LimitCheck));
  return {
    response: taken === undefined ? response : { ...response, taken: allowed ? taken : 0 },
    ...(begun.length > 0 && { begun }),
  };
}

/** Returns the block that a limit has set with this decision. A limit in the shadow blocks nobody. */
function begunBlock({ limitState, isShadow }: CheckEvaluation, check: LimitCheck): BegunBlock[] {
  const block = limitState.hasBegunBlock && !isShadow ? limitState.ownBlock : undefined;
  return block ? [{ policy: check.policy, hash: blockedHash(check), ...block }] : [];
}

/** Makes a change that was not made before. */
function correct(
  change: Change,
  keys: readonly string[],
  entries: OpenEntries,
  madeEntry: OpenEntry | undefined,
): ChangeResponse {
  const { checks } = change;
  const { nowMs } = entries;
  let isApplied = false;
  let keptMs = 0;
  const evaluations = checks.map((check, i) => evaluationOf(check, entries.of(keys[i] as string), nowMs));
  for (const [i, { limitState }] of evaluations.entries()) {
    const check: Correction = checks[i] as Correction;
    // Also measured before the change: a change that gives everything back leaves no state, but must not be made again.
    keptMs = Math.max(keptMs, limitState.keptMs);
    const isChanged = corrected(limitState, check, change);
    if (isChanged || limitState.isCorrected)
      entries.of(keys[i] as string).setState(limitState, definitionOf(check.limit).kernel, nowMs);
    isApplied ||= isChanged;
    keptMs = Math.max(keptMs, limitState.keptMs);
  }
  const rememberedMs = changeKeptMs(change, keptMs, nowMs);
  if (rememberedMs > 0) madeEntry?.setText(encodeMade(madeBy(change), nowMs + rememberedMs), rememberedMs);
  return { atMs: nowMs, result: isApplied ? 'applied' : 'expired', verdicts: unitVerdicts(checks, evaluations) };
}

function evaluationOf(check: LimitCheck, entry: OpenEntry, nowMs: number): CheckEvaluation {
  const { limit } = check;
  const { kernel } = definitionOf(limit);
  entry.check(isKnownState, nowMs);
  const evaluation = new CheckEvaluation();
  evaluation.begin(check, nowMs);
  evaluation.readState(
    kernel,
    entry.state(kernel, () => kernel.fresh(limit, nowMs)),
  );
  return evaluation;
}

/** Decides whether each limit admits its units, one after another. */
function judgeAll(request: StoreRequest, evaluations: readonly CheckEvaluation[]): void {
  const { checks, atLeast, renew } = request;
  const id = slotIdOf(request);
  for (const [i, evaluation] of evaluations.entries()) {
    const guarantee = guaranteeAt(checks, i, evaluations);
    const units = atLeast ?? evaluation.cost;
    guarantee?.keepFree();
    evaluation.judge(units, id, renew);
    guarantee?.grant(units, id);
  }
}

function verdictsOf(checks: readonly LimitCheck[], evaluations: readonly CheckEvaluation[]): readonly Verdict[] {
  return checks.map((check, i) =>
    verdictOf(check, guaranteeAt(checks, i, evaluations) ?? (evaluations[i] as CheckEvaluation)),
  );
}

/** Returns the states of the limits, as a peek at one unit would. */
function unitVerdicts(checks: readonly LimitCheck[], evaluations: readonly CheckEvaluation[]): readonly Verdict[] {
  for (const evaluation of evaluations) evaluation.cost = 1;
  const units = unitChecks(checks);
  judgeAll({ checks: units }, evaluations);
  return verdictsOf(units, evaluations);
}

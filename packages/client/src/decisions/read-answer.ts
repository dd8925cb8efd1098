import type { Decision, Verdict } from '@sluice/core';
import { HttpRefusal } from '@sluice/core/http';
import type { LimitTable } from './limit-table.js';

/** A decision of the service. */
export type ServiceDecision =
  /** Limits decided. */
  | {
      readonly source: Decision['source'];
      readonly verdicts: readonly Verdict[];
      /** Names the reservation, if there is something to correct. */
      readonly token: string | undefined;
    }
  /** No limit was asked. With a refusal, the policy file refuses the sender. */
  | { readonly source: 'none'; readonly refusal: HttpRefusal | undefined }
  | FailedDecision;

/** This request could not be counted. Nothing was spent. */
export interface FailedDecision {
  readonly source: 'failed';
  readonly status: number;
  readonly detail: string;
}

type Json = Readonly<Record<string, unknown>>;

/** The error for bytes that are no answer of a decision service. */
export class WrongAnswer extends Error {}

const SOURCES: readonly unknown[] = ['store', 'local', 'allow', 'deny'] satisfies readonly Decision['source'][];

/** Names go into header fields. */
const NAME = /^[ -~]{1,128}$/;

/** It goes into a path. */
const TOKEN = /^[\w.~-]{1,8192}$/;

const MOST_VERDICTS = 1000;

/**
 * Reads a decision. Only what is checked here is used: a service that answers wrong must not break the application, or write
 * into its header fields.
 *
 * @param policy - the policy that was asked
 * @throws WrongAnswer
 */
export function readDecision(value: unknown, policy: string, limits: LimitTable): ServiceDecision {
  const answer = recordOf(value, 'the decision');
  must(answer.policy === policy, 'policy');
  if (answer.error !== undefined) return readFailure(answer.error);
  const { allowed, source, verdicts, reservation, problem } = answer;
  must(typeof allowed === 'boolean', 'allowed');
  if (source === 'none') return { source, refusal: allowed ? undefined : readRefusal(problem) };
  must(SOURCES.includes(source), 'source');
  must(Array.isArray(verdicts) && verdicts.length > 0 && verdicts.length <= MOST_VERDICTS, 'verdicts');
  const read = (verdicts as unknown[]).map((verdict) => readVerdict(verdict, limits));
  must(allowed === read.every((verdict) => verdict.allowed || verdict.shadow), 'allowed');
  return {
    source: source as Decision['source'],
    verdicts: read,
    token: reservation === undefined ? undefined : readToken(reservation),
  };
}

/** Reads the `detail` of a problem, for messages. */
export function detailOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return 'it gives no reason';
  const { detail, title, errors } = value as Json;
  const [first] = Array.isArray(errors) ? errors : [];
  const { pointer = '', detail: mistake } = (first ?? {}) as Json;
  const text = mistake === undefined ? (detail ?? title) : `${String(pointer)} ${String(mistake)}`.trim();
  return typeof text === 'string' ? text.slice(0, 300) : 'it gives no reason';
}

function readVerdict(value: unknown, limits: LimitTable): Verdict {
  const verdict = recordOf(value, 'a verdict');
  const { name, allowed, quotaUnit, overQuota, guaranteed } = verdict;
  must(typeof name === 'string' && NAME.test(name), 'name');
  must(typeof allowed === 'boolean', 'allowed');
  must(quotaUnit === undefined || (typeof quotaUnit === 'string' && NAME.test(quotaUnit)), 'quotaUnit');
  must(guaranteed === undefined || typeof guaranteed === 'boolean', 'guaranteed');
  return {
    name: name as string,
    limit: limitOf(verdict.limit, limits),
    cost: wholeOf(verdict, 'cost'),
    allowed: allowed as boolean,
    remaining: wholeOf(verdict, 'remaining'),
    used: wholeOf(verdict, 'used'),
    resetAfterMs: waitOf(verdict, 'resetAfterMs'),
    retryAfterMs: waitOf(verdict, 'retryAfterMs'),
    delayMs: wholeOf(verdict, 'delayMs'),
    ...(quotaUnit !== undefined && { quotaUnit: quotaUnit as string }),
    ...(overQuota !== undefined && { overQuota: wholeOf(verdict, 'overQuota') }),
    ...(guaranteed !== undefined && { guaranteed: guaranteed as boolean }),
    ...flags(verdict),
  };
}

function flags({ blocked, shadow, marked }: Json): Pick<Verdict, 'blocked' | 'shadow' | 'marked'> {
  for (const flag of [blocked, shadow, marked]) must(flag === undefined || flag === true, 'a flag of a verdict');
  return {
    ...(blocked === true && { blocked }),
    ...(shadow === true && { shadow }),
    ...(marked === true && { marked }),
  };
}

function limitOf(value: unknown, limits: LimitTable): Verdict['limit'] {
  try {
    return limits.limitOf(value);
  } catch (cause) {
    throw new WrongAnswer('limit', { cause });
  }
}

function wholeOf(verdict: Json, name: keyof Verdict): number {
  const value = verdict[name];
  must(Number.isSafeInteger(value) && (value as number) >= 0, name);
  return value as number;
}

function waitOf(verdict: Json, name: 'resetAfterMs' | 'retryAfterMs'): number | 'never' {
  return verdict[name] === 'never' ? 'never' : wholeOf(verdict, name);
}

function readToken(value: unknown): string {
  const { token } = recordOf(value, 'reservation');
  must(typeof token === 'string' && TOKEN.test(token), 'reservation.token');
  return token as string;
}

function readFailure(value: unknown): ServiceDecision {
  const { status } = recordOf(value, 'error');
  return { source: 'failed', status: statusOf(status), detail: detailOf(value) };
}

/** A refusal of the policy file, such as that of a deny list, is a problem of a plain status. */
function readRefusal(value: unknown): HttpRefusal {
  const { type, title, status, detail, ...members } = recordOf(value, 'problem');
  must(type === 'about:blank', 'problem.type');
  must(typeof title === 'string', 'problem.title');
  must(detail === undefined || typeof detail === 'string', 'problem.detail');
  const options = { title: title as string, ...(detail !== undefined && { detail: detail as string }) };
  return new HttpRefusal(statusOf(status), Object.keys(members).length > 0 ? { ...options, members } : options);
}

function statusOf(status: unknown): number {
  must(Number.isInteger(status) && (status as number) >= 400 && (status as number) <= 599, 'status');
  return status as number;
}

function recordOf(value: unknown, name: string): Json {
  must(typeof value === 'object' && value !== null && !Array.isArray(value), name);
  return value as Json;
}

function must(isRight: boolean, name: string): void {
  if (!isRight) throw new WrongAnswer(name);
}

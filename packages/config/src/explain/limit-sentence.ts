import { boundOf, type Limit } from '@sluice/core';
import type { CostRule, GuaranteeRule, LimitRule, PolicyRule, SlowDownRule } from '../file/policy-file.js';
import { limitWords } from '../words/limit-words.js';
import { anyWindowWords, countWords, durationWords, numberWords, shareWords } from '../words/words.js';
import type { MostUnits } from './explanation.js';

/** For a bucket, which has no window of its own. */
const BUCKET_WINDOW_MS = 60_000;

/** Returns the worst case of a limit of a policy; undefined for an unlimited one. */
export function mostOf(limit: Limit, rule: LimitRule, cost: CostRule): MostUnits | undefined {
  if (limit.algorithm === 'unlimited') return undefined;
  const windowMs = limit.windowMs ?? BUCKET_WINDOW_MS;
  const { guarantee, tolerance = 0 } = rule;
  const units = boundOf(limit, windowMs, {
    cost: cost.from === 'constant' ? cost.units : cost.max,
    ...(guarantee && { guaranteed: guarantee.total, lend: guarantee.lend }),
    ...(tolerance > 0 && { margin: Math.floor(limit.quota * tolerance) }),
  });
  return { units, windowMs: limit.algorithm === 'concurrency' ? 0 : windowMs };
}

/** Returns what is counted: `request` if each costs one unit. */
function thingOf({ quotaUnit }: LimitRule, cost: CostRule, { algorithm }: Limit): string {
  if (algorithm === 'concurrency') return 'request';
  if (quotaUnit !== undefined && quotaUnit !== 'requests') return quotaUnit.replace(/s$/, '');
  return cost.from === 'constant' && cost.units === 1 ? 'request' : 'unit';
}

/** Returns what a limit allows, in a few words for those whom it limits: `60 requests a minute`. */
export function limitSummary(limit: Limit, rule: LimitRule, policy: PolicyRule): string {
  return limitWords(limit, thingOf(rule, rule.cost ?? policy.cost, limit));
}

/** Returns what a limit means: what it allows, its worst case, and what else it does. */
export function limitSentence(limit: Limit, rule: LimitRule, policy: PolicyRule): string {
  const cost = rule.cost ?? policy.cost;
  const thing = thingOf(rule, cost, limit);
  const parts = [
    `${limitWords(limit, thing)}${mostWords(limit, mostOf(limit, rule, cost))}.`,
    rule.tolerance ? `Up to ${shareWords(rule.tolerance)} more is admitted, and not advertised.` : '',
    rejectedWords(limit),
    blockWords(limit),
    limit.leaseMs === undefined ? '' : `A request that nobody ends counts for ${durationWords(limit.leaseMs)}.`,
    limit.keepForMs === undefined ? '' : `A key is forgotten ${durationWords(limit.keepForMs)} after its last request.`,
    rule.slowDown ? slowDownWords(rule.slowDown, thing) : '',
    rule.guarantee ? guaranteeWords(rule.guarantee, thing) : '',
    ownEnforceWords(rule.enforce),
  ];
  return parts.filter((part) => part !== '').join(' ');
}

function mostWords(limit: Limit, most: MostUnits | undefined): string {
  if (most === undefined || limit.algorithm === 'concurrency') return '';
  if (limit.algorithm === 'leaky-bucket') return `, never more than ${numberWords(most.units)} leave in any minute`;
  return `, never more than ${numberWords(most.units)} in ${anyWindowWords(most.windowMs)}`;
}

function rejectedWords({ countRejected }: Limit): string {
  if (countRejected === undefined) return '';
  return countRejected === 'always'
    ? 'Refused requests count, too, so a key that keeps asking stays refused.'
    : 'Refused requests count, too.';
}

function blockWords({ blockMs, blocksMs = [], forgetMs }: Limit): string {
  if (blocksMs.length > 1) {
    const [first = 0, last = 0] = [blocksMs[0], blocksMs.at(-1)];
    const forget =
      forgetMs === undefined ? '' : `, and is short again after ${durationWords(forgetMs)} without a block`;
    return `A refused key stays refused for ${durationWords(first)}; each block is longer, up to ${durationWords(last)}${forget}.`;
  }
  return blockMs === undefined ? '' : `A refused key stays refused for ${durationWords(blockMs)}.`;
}

function slowDownWords({ after, by, upTo }: SlowDownRule, thing: string): string {
  return `Beyond ${countWords(after, thing)}, each one waits ${durationWords(by)} longer, at most ${durationWords(upTo)}.`;
}

function guaranteeWords({ limit, key, total, lend }: GuaranteeRule, thing: string): string {
  const lent = lend === 0 ? 'Nothing of it is lent' : `${shareWords(lend)} of it is lent while it is not used`;
  return `Of these, ${countWords(limit, thing)} are guaranteed to each ${key.join(' and ')}, ${numberWords(total)} in all. ${lent}.`;
}

function ownEnforceWords(enforce: number | 'mark' | undefined): string {
  if (enforce === 'mark') return 'Requests beyond it are marked, and not refused.';
  if (enforce === undefined || enforce === 1) return '';
  return enforce === 0
    ? 'It only counts.'
    : `It is enforced for ${shareWords(enforce)} of keys, and only counts the others.`;
}

import { optionError } from '../../values/error.js';
import type { Limit } from '../../values/limit.js';
import { at, checkFraction, checkOptions, checkWhole } from '../../values/option-checks.js';
import type { Priority } from '../../values/priority.js';

/** The part of a limit, from 0 to 1, that requests of a class have to leave free for more important ones. */
export interface Headroom {
  /** Default: 0. */
  normal?: number;
  /** At least `normal`, which is also the default. */
  low?: number;
}

/**
 * Says whether there is room for more requests. An elastic limit reads it for each request, so reading it must be fast.
 */
export interface LoadSignal {
  /** Whether the load is low enough to admit more than the limit. */
  readonly isCalm: boolean;
}

/** How far a limit may be exceeded while there is room. */
export interface Elastic {
  /** The largest limit: from the limit itself to twice the limit. */
  upTo: number;
  /** Whether there is room. It is read for each request. */
  while: LoadSignal;
}

/**
 * The options of a limit item that let a request exceed the limit, or keep a part of the limit free from the request.
 */
export interface MarginOptions {
  /**
   * The part of the limit, from 0 to 1, by which it may be exceeded: a limit of 100 with 0.1 admits 110. It is not
   * advertised: header fields state 100, and then 0 remaining units. Default: 0.
   */
  tolerance?: number;
  /**
   * Lets requests exceed the limit while there is room, and enforces the limit at once when there is none. It must not
   * be used with `tolerance`.
   */
  elastic?: Elastic;
  /**
   * Keeps a part of the limit free from less important requests, by the policy's `priority`. Header fields tell such
   * requests the units that they may take. It is stronger than `tolerance` and `elastic`: these apply only to classes
   * that need not leave units free.
   */
  headroom?: Headroom;
}

/** The checked margins of an item's requests. */
export interface Margins {
  readonly tolerance: number;
  readonly elastic: Elastic | undefined;
  readonly headroom: Readonly<Record<Priority, number>> | undefined;
}

/** Reads the margin options of an item. Returns undefined if it has none. */
export function marginsOf({ tolerance, elastic, headroom }: MarginOptions, path: string): Margins | undefined {
  if (tolerance === undefined && elastic === undefined && headroom === undefined) return undefined;
  if (tolerance !== undefined && elastic !== undefined) {
    throw optionError(
      at(path, 'elastic'),
      'cannot stand beside tolerance: it is a tolerance that depends on the load',
      elastic,
    );
  }
  return {
    tolerance: checkFraction(tolerance ?? 0, at(path, 'tolerance')),
    elastic: elastic && elasticOf(elastic, at(path, 'elastic')),
    headroom: headroom && headroomOf(headroom, at(path, 'headroom')),
  };
}

/** Checks that an elastic limit is between the limit and twice the limit. */
export function checkElastic(elastic: Elastic, limit: Limit | ((...args: never) => unknown), path: string): void {
  if (typeof limit === 'function') {
    throw optionError(
      path,
      'needs a limit that is no function: for a tier say a tolerance, which is a part of it',
      elastic,
    );
  }
  // A policy file that is switched off limits nothing for a while, and then does again.
  if (limit.algorithm !== 'unlimited') checkWhole(elastic.upTo, at(path, 'upTo'), limit.quota, 2 * limit.quota);
}

function elasticOf(elastic: Elastic, path: string): Elastic {
  checkOptions(elastic, ['upTo', 'while'], path);
  const signal: unknown = elastic.while;
  if (typeof signal !== 'object' || signal === null || !('isCalm' in signal)) {
    throw optionError(at(path, 'while'), 'must have isCalm, like loopDelay()', signal);
  }
  return { upTo: checkWhole(elastic.upTo, at(path, 'upTo')), while: elastic.while };
}

function headroomOf(headroom: Headroom, path: string): Readonly<Record<Priority, number>> {
  checkOptions(headroom, ['normal', 'low'], path);
  const normal = checkFraction(headroom.normal ?? 0, at(path, 'normal'));
  const low = checkFraction(headroom.low ?? normal, at(path, 'low'));
  if (low < normal) throw optionError(at(path, 'low'), 'must be at least that of normal', low);
  return { critical: 0, normal, low };
}

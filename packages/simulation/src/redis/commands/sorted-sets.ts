import { withDigits } from '../../lua/number-text.js';
import { type Command, floatIn, frees, integerIn, reads, writes } from '../command.js';
import type { Keyspace } from '../keyspace.js';
import { failWith, type RawReply, SYNTAX } from '../reply.js';
import { SortedSet } from '../sorted-set.js';

type Member = readonly [member: string, score: number];

const NO_RANGE = 'ERR min or max is not a float';

const EMPTY = new SortedSet();

const setAt = (keyspace: Keyspace, args: readonly string[]): SortedSet =>
  keyspace.sortedSet(args[0] as string) ?? EMPTY;

/** Changes a sorted set, which is made if it is not there, and goes if it is empty. */
function changed<T>(keyspace: Keyspace, key: string, change: (set: SortedSet) => T): T {
  const before = keyspace.sortedSet(key);
  const set = before ?? new SortedSet();
  const result = change(set);
  if (set.size === 0) keyspace.delete(key);
  else if (!before) keyspace.set(key, set, undefined);
  return result;
}

const scoreText = (score: number): string => withDigits(score, 17);

interface AddOptions {
  readonly flags: ReadonlySet<string>;
  readonly pairs: readonly string[];
}

function addOptions(args: readonly string[]): AddOptions {
  const flags = new Set<string>();
  let at = 1;
  for (; ['NX', 'XX', 'GT', 'LT', 'CH', 'INCR'].includes(args[at]?.toUpperCase() ?? ''); at += 1)
    flags.add((args[at] as string).toUpperCase());
  const pairs = args.slice(at);
  if (pairs.length === 0 || pairs.length % 2 === 1) return failWith(SYNTAX);
  if (flags.has('NX') && flags.has('XX')) return failWith('ERR XX and NX options at the same time are not compatible');
  if ((flags.has('GT') && flags.has('LT')) || (flags.has('NX') && (flags.has('GT') || flags.has('LT'))))
    return failWith('ERR GT, LT, and/or NX options at the same time are not compatible');
  if (flags.has('INCR') && pairs.length > 2)
    return failWith('ERR INCR option supports a single increment-element pair');
  return { flags, pairs };
}

function add(keyspace: Keyspace, args: readonly string[]): RawReply {
  const { flags, pairs } = addOptions(args);
  const entries = Array.from({ length: pairs.length / 2 }, (_, i) => {
    return [pairs[2 * i + 1] as string, floatIn(pairs[2 * i] as string)] as const;
  });
  return changed(keyspace, args[0] as string, (set) => {
    let [added, updated] = [0, 0];
    let last: RawReply = null;
    for (const [member, given] of entries) {
      const before = set.score(member);
      const score = flags.has('INCR') && before !== undefined ? before + given : given;
      if (Number.isNaN(score)) return failWith('ERR resulting score is not a number (NaN)');
      if (before === undefined ? flags.has('XX') : flags.has('NX')) continue;
      if (before !== undefined && ((flags.has('GT') && score <= before) || (flags.has('LT') && score >= before)))
        continue;
      if (before === undefined) added += 1;
      else if (before !== score) updated += 1;
      if (before !== score) set.set(member, score);
      last = scoreText(score);
    }
    if (flags.has('INCR')) return last;
    return flags.has('CH') ? added + updated : added;
  });
}

/** Whether a score is on the inner side of a bound like `5`, `(5` or `-inf`. */
function bound(text: string, side: 'least' | 'most'): (score: number) => boolean {
  const isOpen = text.startsWith('(');
  const value = floatIn(isOpen ? text.slice(1) : text, NO_RANGE);
  if (side === 'least') return isOpen ? (score) => score > value : (score) => score >= value;
  return isOpen ? (score) => score < value : (score) => score <= value;
}

type Bounds = (score: number) => boolean;

/** Reads two bounds, which a command does before it looks at its key. */
function bounds(least: string, most: string): Bounds {
  const [isEnough, isFew] = [bound(least, 'least'), bound(most, 'most')];
  return (score) => isEnough(score) && isFew(score);
}

function byScore(set: SortedSet, isWithin: Bounds): readonly Member[] {
  return set.ordered.filter(([, score]) => isWithin(score));
}

type Ranks = readonly [from: number, to: number];

const ranksOf = (start: string, end: string): Ranks => [integerIn(start), integerIn(end)];

function byRank<T>(list: readonly T[], [from, to]: Ranks): readonly T[] {
  const first = from < 0 ? Math.max(0, list.length + from) : from;
  const last = to < 0 ? list.length + to : to;
  return first > last ? [] : list.slice(first, last + 1);
}

interface RangeOptions {
  readonly withScores: boolean;
  readonly byScore: boolean;
  readonly isReversed: boolean;
  readonly limit: readonly [offset: number, count: number] | undefined;
}

function rangeOptions(options: readonly string[], mayChoose: boolean): RangeOptions {
  let [withScores, byScore, isReversed] = [false, false, false];
  let limit: RangeOptions['limit'];
  for (let i = 0; i < options.length; i += 1) {
    const option = (options[i] as string).toUpperCase();
    if (option === 'WITHSCORES') withScores = true;
    else if (option === 'LIMIT' && options[i + 2] !== undefined) {
      limit = [integerIn(options[i + 1] as string), integerIn(options[i + 2] as string)];
      i += 2;
    } else if (mayChoose && option === 'BYSCORE') byScore = true;
    else if (mayChoose && option === 'REV') isReversed = true;
    else return failWith(SYNTAX);
  }
  return { withScores, byScore, isReversed, limit };
}

function limited(members: readonly Member[], { limit }: RangeOptions): readonly Member[] {
  if (!limit) return members;
  const [offset, count] = limit;
  if (offset < 0) return [];
  return members.slice(offset, count < 0 ? undefined : offset + count);
}

function listed(members: readonly Member[], { withScores }: RangeOptions): RawReply {
  return members.flatMap(([member, score]) => (withScores ? [member, scoreText(score)] : [member]));
}

/** ZRANGE with its options. */
function range(keyspace: Keyspace, args: readonly string[]): RawReply {
  const [, start, end, ...rest] = args as [string, string, string, ...string[]];
  const options = rangeOptions(rest, true);
  if (options.limit && !options.byScore)
    return failWith('ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX');
  if (!options.byScore) {
    const ranks = ranksOf(start, end);
    const { ordered } = setAt(keyspace, args);
    return listed(byRank(options.isReversed ? [...ordered].reverse() : ordered, ranks), options);
  }
  const isWithin = options.isReversed ? bounds(end, start) : bounds(start, end);
  const members = byScore(setAt(keyspace, args), isWithin);
  return listed(limited(options.isReversed ? [...members].reverse() : members, options), options);
}

function scoreRange(isReversed: boolean): Command['run'] {
  return (keyspace, args) => {
    const [, start, end, ...rest] = args as [string, string, string, ...string[]];
    const options = rangeOptions(rest, false);
    const isWithin = isReversed ? bounds(end, start) : bounds(start, end);
    const members = byScore(setAt(keyspace, args), isWithin);
    return listed(limited(isReversed ? [...members].reverse() : members, options), options);
  };
}

function removeAll(keyspace: Keyspace, key: string, membersOf: (set: SortedSet) => readonly Member[]): RawReply {
  return changed(keyspace, key, (set) => {
    const members = membersOf(set);
    for (const [member] of members) set.delete(member);
    return members.length;
  });
}

export const SORTED_SET_COMMANDS: readonly Command[] = [
  writes('zadd', -4, add),
  writes('zincrby', 4, (keyspace, args) => add(keyspace, [args[0] as string, 'INCR', ...args.slice(1)])),
  frees('zrem', -3, (keyspace, args) => {
    const [key, ...members] = args as [string, ...string[]];
    return changed(keyspace, key, (set) => members.filter((member) => set.delete(member)).length);
  }),
  frees('zremrangebyscore', 4, (keyspace, args) => {
    const [key, least, most] = args as [string, string, string];
    const isWithin = bounds(least, most);
    return removeAll(keyspace, key, (set) => byScore(set, isWithin));
  }),
  frees('zremrangebyrank', 4, (keyspace, args) => {
    const [key, start, end] = args as [string, string, string];
    const ranks = ranksOf(start, end);
    return removeAll(keyspace, key, (set) => byRank(set.ordered, ranks));
  }),
  reads('zcard', 2, (keyspace, args) => setAt(keyspace, args).size),
  reads('zscore', 3, (keyspace, args) => {
    const score = setAt(keyspace, args).score(args[1] as string);
    return score === undefined ? null : scoreText(score);
  }),
  reads('zmscore', -3, (keyspace, args) => {
    const set = setAt(keyspace, args);
    return args.slice(1).map((member) => {
      const score = set.score(member);
      return score === undefined ? null : scoreText(score);
    });
  }),
  reads('zrank', 3, (keyspace, args) => {
    const rank = setAt(keyspace, args).ordered.findIndex(([member]) => member === args[1]);
    return rank < 0 ? null : rank;
  }),
  reads('zcount', 4, (keyspace, args) => {
    const [, least, most] = args as [string, string, string];
    const isWithin = bounds(least, most);
    return byScore(setAt(keyspace, args), isWithin).length;
  }),
  reads('zrange', -4, range),
  reads('zrevrange', -4, (keyspace, args) => {
    const [, start, end, ...rest] = args as [string, string, string, ...string[]];
    const options = rangeOptions(rest, false);
    const ranks = ranksOf(start, end);
    return listed(byRank([...setAt(keyspace, args).ordered].reverse(), ranks), options);
  }),
  reads('zrangebyscore', -4, scoreRange(false)),
  reads('zrevrangebyscore', -4, scoreRange(true)),
];

import type { BlockOrder, BlockPlace, Blocks, FoundBlock, ListedBlock } from '../stores/blocks.js';
import type { Answer, Target } from '../stores/store.js';
import { callingStore } from '../stores/store-failure.js';
import { fromBase64url, toBase64url } from '../values/base64url.js';
import { blockLength } from '../values/block-growth.js';
import type { Verdict } from '../values/decision.js';
import type { Duration } from '../values/duration.js';
import { optionError, SluiceError } from '../values/error.js';
import { type Eventual, whenReady } from '../values/eventual.js';
import type { Key } from '../values/key.js';
import { checkOneOf, checkOptions, checkWhole } from '../values/option-checks.js';
import type { Args } from './policy/options.js';
import type { ReplaceableEngine } from './replaceable-engine.js';

/** Options of `block`. */
export interface BlockOptions {
  /** Why the key is blocked, for `blocked` and `inspect`: at most 256 characters. It is not sent to the client. */
  reason?: string;
  /** Whether `blocked` shows the key itself. Default: false; it shows a hash of the key. */
  reveal?: boolean;
}

/** A block that refuses a key now. */
export type Block = FoundBlock;

/** An entry of `blocked`. */
export interface BlockEntry extends FoundBlock {
  /** The hash of the key, as in events; or the key itself, if it was blocked with `reveal`. */
  readonly key: string;
}

/** Which part of the list `blocked` returns. */
export interface BlockedOptions {
  /** The most entries: 1 to 1,000. Default: 100. */
  limit?: number;
  /** The `cursor` of the part before. Default: the beginning of the list. */
  cursor?: string;
}

/** A part of the list of blocks. */
export interface BlockedPage {
  /** In the order of their ends; blocks without end come last. */
  readonly entries: readonly BlockEntry[];
  /** Pass it to `blocked` to get the next part. Absent if this is the last one. */
  readonly cursor?: string;
}

/** Options of `inspect`. */
export interface InspectOptions {
  /**
   * Whether the verdicts are looked at. Default: true. With false there are none, so that the block of a key is found also if a
   * limit is a function; `peek` with a request tells the verdicts then.
   */
  verdicts?: boolean;
}

/** The state of a key. */
export interface Inspection {
  /** One verdict per limit, as `peek` returns them. */
  readonly verdicts: readonly Verdict[];
  /** The block that ends last; absent if the key is not blocked. */
  readonly block?: Block;
}

/**
 * Blocks keys by hand, and shows who is blocked. All of these methods fail with `SLUICE_STORE` if the store fails, whatever
 * `onStoreError` is. They throw (or reject with) `SLUICE_UNSUPPORTED` if the store has no blocks.
 */
export interface BlockVerbs<Async extends boolean = boolean> {
  /**
   * Refuses a key in every limit of the policy, for this long or until `unblock`. Use it to stop an abuser, or to pause
   * all processes together when an upstream service answers 429.
   *
   * Every decision that asks the store sees the block at once. It refuses under any algorithm, and spends nothing. A
   * block that ends later stays as it is. A limit that is not enforced (`enforce: 0`) does not refuse for a block, either.
   *
   * @param time - 1 ms to 100 years
   * @throws SluiceError `SLUICE_OPTION`; `SLUICE_FULL` if 10,000 keys of the policy are blocked by hand
   * @example limiter.block('ann', '1h', { reason: 'scraping' });
   */
  block(key: Key, time: Duration | 'forever', options?: BlockOptions): Answer<void, Async>;
  /**
   * Lifts every block of a key, those of `blockDuration` too, and forgets its strikes. Spent units stay. Returns whether
   * the key was blocked: strikes alone are no block. Where a refusal is remembered, it may be repeated for a tenth of a second.
   */
  unblock(key: Key): Answer<boolean, Async>;
  /**
   * Returns a part of the list of blocks, those set by hand and those of `blockDuration`. The list has at most 10,000
   * entries. If there are more, blocks of limits that end first are left out. Changes between two parts neither repeat an
   * entry nor hide one that stays.
   */
  blocked(options?: BlockedOptions): Answer<BlockedPage, Async>;
  /**
   * Returns the verdicts about a key in every limit of the policy, without spending anything, and its block.
   *
   * @throws SluiceError `SLUICE_UNSUPPORTED` also if a limit or a cost is a function, because a function needs a request. With
   * `{ verdicts: false }` it returns the block alone. Limits of plans of `@sluice/llm` are shown: one verdict for each that the key
   * has, and one for each model.
   */
  inspect(key: Key, options?: InspectOptions): Answer<Inspection, Async>;
}

/** The methods of `BlockVerbs`, with results in any style. */
type EventualBlockVerbs = {
  [Verb in keyof BlockVerbs]: (
    ...args: Parameters<BlockVerbs[Verb]>
  ) => Eventual<Awaited<ReturnType<BlockVerbs[Verb]>>>;
};

const LONGEST_REASON = 256;

/** A text of a key that is longer is cut. */
const LONGEST_TEXT = 256;

const MOST_ENTRIES = 1000;

/** Makes the methods about blocks of one policy. */
export function blockVerbs<A extends Args>(engine: ReplaceableEngine<A>): EventualBlockVerbs {
  return {
    block(key, time, options = {}) {
      const order = orderOf(engine.changes.targets(key), key, time, options);
      return callingStore(() => blocksOf(engine).block(order));
    },

    unblock(key) {
      const targets = engine.changes.targets(key);
      return callingStore(() => blocksOf(engine).unblock(targets));
    },

    blocked(options = {}) {
      checkOptions(options, ['limit', 'cursor']);
      const limit = checkWhole(options.limit ?? 100, 'limit', 1, MOST_ENTRIES);
      const after = options.cursor === undefined ? undefined : placeIn(options.cursor);
      const range = { limit: limit + 1, ...(after && { after }) };
      const listed = callingStore(() => blocksOf(engine).list(engine.policy, range));
      return whenReady(listed, (entries) => pageOf(entries, limit));
    },

    inspect(key, options = {}) {
      checkOptions(options, ['verdicts']);
      const hasVerdicts = checkOneOf(options.verdicts ?? true, 'verdicts', [true, false]);
      const targets = engine.changes.targets(key);
      const found = callingStore(() => blocksOf(engine).find(targets));
      return whenReady<FoundBlock | undefined, Inspection>(found, (block) => {
        const peeked: Eventual<Pick<Inspection, 'verdicts'>> = hasVerdicts ? engine.inspect(key) : { verdicts: [] };
        return whenReady(peeked, ({ verdicts }) => (block ? { verdicts, block } : { verdicts }));
      });
    },
  };
}

function blocksOf<A extends Args>({ store, policy }: ReplaceableEngine<A>): Blocks {
  if (store.blocks) return store.blocks;
  const message = `the store of the policy ${JSON.stringify(policy)} cannot block keys by hand: it has no property blocks`;
  throw new SluiceError('SLUICE_UNSUPPORTED', message);
}

function orderOf(targets: readonly Target[], key: Key, time: Duration | 'forever', options: BlockOptions): BlockOrder {
  checkOptions(options, ['reason', 'reveal']);
  const { reason, reveal } = options;
  const forMs = time === 'forever' ? ('forever' as const) : blockLength(time, 'time');
  if (reason !== undefined && (typeof reason !== 'string' || reason.length > LONGEST_REASON))
    throw optionError('reason', `must be text of at most ${LONGEST_REASON} characters`, reason);
  const isShown = checkOneOf(reveal ?? false, 'reveal', [true, false]);
  return { targets, forMs, ...(reason !== undefined && { reason }), ...(isShown && { text: textOf(key) }) };
}

/** Returns a key as people write it. */
function textOf(key: Key): string {
  const text = typeof key === 'string' ? key : JSON.stringify(key);
  return text.toWellFormed().slice(0, LONGEST_TEXT);
}

function pageOf(entries: readonly ListedBlock[], limit: number): BlockedPage {
  const shown = entries.slice(0, limit);
  const last = shown.at(-1);
  const page = { entries: shown.map(({ hash, text, ...block }) => ({ key: text ?? hash, ...block })) };
  return last && entries.length > limit ? { ...page, cursor: cursorOf(last) } : page;
}

/** Names a place by what stands there, so that it stays the same place when entries come and go. */
function cursorOf({ untilMs, hash, by }: BlockPlace): string {
  return toBase64url(new TextEncoder().encode(JSON.stringify([untilMs, hash, by])));
}

function placeIn(cursor: unknown): BlockPlace {
  const [untilMs, hash, by] = typeof cursor === 'string' ? listIn(cursor) : [];
  const isEnd = untilMs === 'forever' || Number.isSafeInteger(untilMs);
  if (isEnd && typeof hash === 'string' && (by === 'limit' || by === 'admin'))
    return { untilMs: untilMs as BlockPlace['untilMs'], hash, by };
  throw optionError('cursor', 'must be the cursor of a result of blocked()', cursor);
}

function listIn(cursor: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(new TextDecoder().decode(fromBase64url(cursor)));
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

import type { BlockOrder, BlockPlace, BlockRange, Blocks, Clock, FoundBlock, ListedBlock, Target } from '@sluice/core';
import {
  type BegunBlock,
  blockedHash,
  blockIn,
  compareBlocks,
  FOREVER_MS,
  fullError,
  unknownFormError,
  untilOf,
} from '@sluice/core/store';
import { UNKNOWN_FORM } from './generated/scripts.js';
import type { RedisDriver } from './redis-driver.js';
import type { RedisKeys } from './redis-keys.js';
import { CommandScripts, type Sharing } from './script.js';

/** The scripts of blocks need no kernel. */
const NO_ALGORITHM = 0;

/** The most blocks that one call adds to a list. Redis does nothing else meanwhile. */
const MOST_AT_ONCE = 100;

/** The most blocks of a policy that wait to be added. During an attack, others are left out of the list. */
const MOST_WAITING = 1000;

/** How a store runs its calls. */
export interface Calls {
  /** Runs a call, unless the store is closed. */
  readonly run: <T>(call: () => Promise<T>) => Promise<T>;
  /** Sends waiting requests about these targets, so that they arrive before what is sent next. */
  readonly sendAbout: (targets: readonly Target[]) => void;
}

/**
 * Blocks in Redis. They stand in the states of limits, where every decision sees them. Beside them there is a list for each
 * policy. One step writes both, except on a cluster, where they can be on different nodes. There the list is written first if
 * a key is blocked, because it says whether there is room, and last otherwise.
 */
export class RedisBlocks implements Blocks<true> {
  readonly #keys: RedisKeys;
  readonly #block: CommandScripts;
  readonly #blocks: CommandScripts;
  readonly #calls: Calls;
  readonly #isOneSlot: boolean;
  /** Blocks of limits that are not in the list yet, by policy. */
  readonly #begun = new Map<string, BegunBlock[]>();
  /** Writes to lists that nobody waits for. */
  readonly #writing = new Set<Promise<unknown>>();

  constructor(driver: RedisDriver, keys: RedisKeys, clock: Clock | undefined, sharing: Sharing, calls: Calls) {
    this.#keys = keys;
    this.#block = new CommandScripts(driver, 'block', clock, sharing);
    this.#blocks = new CommandScripts(driver, 'blocks', clock, sharing);
    this.#calls = calls;
    this.#isOneSlot = !driver.isCluster || keys.hashTag === 'policy';
  }

  block(order: BlockOrder): Promise<void> {
    return this.#calls.run(async () => {
      const { targets, forMs, reason, text } = order;
      const [first] = targets;
      if (!first) return;
      const note = reason === undefined && text === undefined ? '' : JSON.stringify([reason ?? null, text ?? null]);
      const own = [forMs === 'forever' ? '' : forMs, note];
      if (this.#isOneSlot) return this.#checkRoom(first, await this.#run('block', targets, first, own));
      this.#checkRoom(first, await this.#run('block', [], first, own));
      await this.#run('block', targets, undefined, own);
    });
  }

  unblock(targets: readonly Target[]): Promise<boolean> {
    return this.#calls.run(async () => {
      const [first] = targets;
      if (!first) return false;
      const [, isLifted] = await this.#run('unblock', targets, this.#isOneSlot ? first : undefined);
      if (!this.#isOneSlot) this.#later(this.#run('unblock', [], first));
      return isLifted === 1;
    });
  }

  find(targets: readonly Target[]): Promise<FoundBlock | undefined> {
    return this.#calls.run(async () => {
      const [first] = targets;
      if (!first) return undefined;
      const [nowMs, blockEndsMs, strikes, held, ownNote] = await this.#run(
        'find',
        targets,
        this.#isOneSlot ? first : undefined,
      );
      const heldUntilMs = held === -1 ? FOREVER_MS : Number(held);
      const head = { blockEndsMs: Number(blockEndsMs), strikes: Number(strikes), heldUntilMs };
      const hasNote = !this.#isOneSlot && heldUntilMs > Number(nowMs);
      const note = hasNote ? (await this.#run('find', [], first))[4] : ownNote;
      return blockIn([head], Number(nowMs), noteIn(note).reason);
    });
  }

  list(policy: string, range: BlockRange): Promise<readonly ListedBlock[]> {
    return this.#calls.run(async () => {
      await this.written();
      return this.#list(policy, range);
    });
  }

  /** Adds a block of a limit to the list, soon. Nobody waits for it, and a failure leaves it out. */
  begun(block: BegunBlock): void {
    const waiting = this.#begun.get(block.policy);
    if (waiting) {
      if (waiting.length < MOST_WAITING) waiting.push(block);
      return;
    }
    const blocks = [block];
    this.#begun.set(block.policy, blocks);
    this.#later(this.#addSoon(block.policy, blocks));
  }

  /** Removes keys from the list that were reset, soon. */
  forget(targets: readonly Target[]): void {
    const subjects = new Map(targets.map((target) => [`${target.policy}\n${target.key}`, target]));
    for (const target of subjects.values()) this.#later(this.#run('unblock', [], target));
  }

  /** Resolves when the writes to lists that nobody waits for have ended. */
  async written(): Promise<void> {
    await Promise.allSettled(this.#writing);
  }

  /** One call after the other, so that a list which is written slowly does not hold up decisions. */
  async #addSoon(policy: string, blocks: BegunBlock[]): Promise<void> {
    await new Promise(process.nextTick);
    try {
      while (blocks.length > 0) {
        const args = blocks.splice(0, MOST_AT_ONCE).flatMap(({ hash, untilMs, strikes }) => [hash, untilMs, strikes]);
        await this.#blocks.of(NO_ALGORITHM).run(this.#keys.list(policy), ['add', ...args]);
      }
    } finally {
      this.#begun.delete(policy);
    }
  }

  #later(writing: Promise<unknown>): void {
    this.#writing.add(writing);
    const end = (): void => {
      this.#writing.delete(writing);
    };
    writing.then(end, end);
  }

  #checkRoom({ policy }: Target, [, hasRoom]: readonly unknown[]): void {
    if (hasRoom !== 1) throw fullError(policy);
  }

  /** @param listed - whose list the call also reaches */
  async #run(
    verb: 'block' | 'unblock' | 'find',
    targets: readonly Target[],
    listed: Target | undefined,
    own: readonly (string | number)[] = [],
  ): Promise<readonly unknown[]> {
    this.#calls.sendAbout(targets);
    const states = targets.flatMap((target) => this.#keys.states(target));
    const keys = listed ? [...states, ...this.#keys.list(listed.policy)] : states;
    const hash = blockedHash((listed ?? targets[0]) as Target);
    const args = [verb, states.length, hash, ...own];
    const reply = numbersIn(await this.#block.of(NO_ALGORITHM).run(keys, args));
    if (reply[1] === UNKNOWN_FORM) throw unknownFormError(Number(reply[0]));
    return reply;
  }

  async #list(policy: string, { after, limit }: BlockRange): Promise<readonly ListedBlock[]> {
    const held = new Reading('admin', limit, after);
    const begun = new Reading('limit', limit, after);
    const from = after === undefined ? 0 : after.untilMs === 'forever' ? FOREVER_MS : after.untilMs;
    // Entries that end together with `after` may come before it: then there is more to read.
    while (held.wanted + begun.wanted > 0) {
      const args = ['read', from, held.skipped, held.wanted, begun.skipped, begun.wanted];
      const reply = await this.#blocks.of(NO_ALGORITHM).run(this.#keys.list(policy), args);
      const [, ofAdmin, ofLimits] = Array.isArray(reply) ? reply : [];
      held.add(ofAdmin);
      begun.add(ofLimits);
    }
    return [...held.entries, ...begun.entries].sort(compareBlocks).slice(0, limit);
  }
}

/** Reads one of the two sorted sets of a list, until there is enough. */
class Reading {
  readonly entries: ListedBlock[] = [];
  readonly #by: ListedBlock['by'];
  readonly #limit: number;
  readonly #after: BlockPlace | undefined;
  #skipped = 0;
  #isOver = false;

  constructor(by: ListedBlock['by'], limit: number, after: BlockPlace | undefined) {
    this.#by = by;
    this.#limit = limit;
    this.#after = after;
  }

  get skipped(): number {
    return this.#skipped;
  }

  /** How many entries to read next. */
  get wanted(): number {
    return this.#isOver ? 0 : this.#limit;
  }

  add(texts: unknown): void {
    if (this.wanted === 0) return;
    const read = Array.isArray(texts) ? texts : [];
    for (let i = 0; i < read.length; i += 3) {
      const entry = this.#entryOf(String(read[i]), Number(read[i + 1]), read[i + 2]);
      if (this.#after === undefined || compareBlocks(entry, this.#after) > 0) this.entries.push(entry);
    }
    this.#skipped += read.length / 3;
    this.#isOver = read.length < 3 * this.#limit || this.entries.length >= this.#limit;
  }

  #entryOf(hash: string, untilMs: number, note: unknown): ListedBlock {
    if (this.#by === 'limit') return { hash, untilMs, by: 'limit', strikes: note === '' ? 1 : Number(note) };
    return { hash, untilMs: untilOf(untilMs), by: 'admin', strikes: 0, ...noteIn(note) };
  }
}

/** Reads what is known about a block by hand. A client of Upstash has read it as JSON already. */
function noteIn(note: unknown): Pick<ListedBlock, 'reason' | 'text'> {
  const list: unknown = typeof note === 'string' && note.startsWith('[') ? JSON.parse(note) : note;
  const [reason, text] = Array.isArray(list) ? list : [];
  return { ...(typeof reason === 'string' && { reason }), ...(typeof text === 'string' && { text }) };
}

/** A client with `stringNumbers` returns numbers as text. */
function numbersIn(reply: unknown): readonly unknown[] {
  const values: readonly unknown[] = Array.isArray(reply) ? reply : [];
  return values.map((value) => (typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value));
}

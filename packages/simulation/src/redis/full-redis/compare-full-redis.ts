import { isDeepStrictEqual } from 'node:util';
import { type LimitCheck, MemoryStore, type Store } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { type IoredisClient, RedisStore } from '@sluice/redis';
import { type FullRedisScene, type Moment, type Operation, operationText, SceneMaker } from './operations.js';

/** The options of `compareFullRedis`. */
interface FullRedisOptions {
  /** The same seed makes the same runs. */
  readonly seed: number;
  /** The most runs. */
  readonly runs: number;
  /** Of a server, real or simulated, that nobody else uses: it is flushed, and made full by `CONFIG SET maxmemory`. */
  readonly client: IoredisClient;
  /**
   * Sets the server's clock. The store then lives by the server's time, as in an application. Without it, the store passes the time of a
   * clock, as in tests, and so uses more commands.
   */
  readonly setServerTime?: ((ms: number) => void) | undefined;
}

/** A state of Redis that is neither the one before a question nor the one after it, or a reply that is wrong. */
export interface FullRedisDifference {
  readonly run: number;
  /** What was asked when it showed: an index of the scene's moments. */
  readonly moment: number;
  readonly scene: FullRedisScene;
  /** What was asked until then, and what is wrong, a line each. */
  readonly story: string;
}

/** An operation that was made, and when. */
interface Made {
  readonly atMs: number;
  readonly operation: Operation;
}

/** Operations that may have been made, in their order: as far as anybody can tell from outside. */
type History = readonly Made[];

const BEGINNING_MS = Date.UTC(2026, 0, 1);

/** The most histories that are followed. Only operations without any effect leave more than one. */
const MOST_HISTORIES = 32;

/** An answer to an operation: the reply, or that it failed. */
type Answer = { readonly reply: unknown } | { readonly failure: string };

/**
 * Compares a store over a Redis that has no memory left, now and then, with one in memory that makes an operation either in full or not at
 * all. Whatever fails must leave each key as it was, or as the whole operation makes it; and what is answered must be true. Returns the first
 * difference; undefined if there is none.
 */
export async function compareFullRedis({
  seed,
  runs,
  client,
  setServerTime,
}: FullRedisOptions): Promise<FullRedisDifference | undefined> {
  const maker = new SceneMaker(seed);
  for (let run = 0; run < runs; run += 1) {
    const scene = maker.scene();
    const comparison = new Comparison(client, setServerTime, scene);
    await client.call('FLUSHALL', []);
    // A simulated server answers at once, so nothing else would get a turn.
    await new Promise(setImmediate);
    try {
      const found = await comparison.play();
      if (found) return { run, scene, ...found };
    } finally {
      await comparison.end();
    }
  }
  return undefined;
}

class Comparison {
  readonly #client: IoredisClient;
  readonly #clock = new ManualClock(BEGINNING_MS);
  readonly #redis: RedisStore;
  readonly #setServerTime: FullRedisOptions['setServerTime'];
  readonly #scene: FullRedisScene;
  readonly #story: string[] = [];
  #histories: readonly History[] = [[]];

  constructor(client: IoredisClient, setServerTime: FullRedisOptions['setServerTime'], scene: FullRedisScene) {
    this.#client = client;
    this.#scene = scene;
    this.#setServerTime = setServerTime;
    this.#redis = new RedisStore({ client, ...(!setServerTime && { clock: this.#clock }) });
    setServerTime?.(BEGINNING_MS);
  }

  async play(): Promise<Pick<FullRedisDifference, 'moment' | 'story'> | undefined> {
    for (const [i, moment] of this.#scene.moments.entries()) {
      const problem = await this.#make(moment);
      if (problem !== undefined) return { moment: i, story: [...this.#story, problem].join('\n') };
    }
    return undefined;
  }

  async end(): Promise<void> {
    await this.#setFull(false);
    await this.#redis.close();
  }

  async #make({ afterMs, isFull, operations }: Moment): Promise<string | undefined> {
    this.#clock.set(this.#clock.now() + afterMs);
    const atMs = this.#clock.now();
    this.#setServerTime?.(atMs);
    await this.#setFull(isFull);
    const answers = await Promise.all(operations.map((operation) => answerOf(this.#redis, operation)));
    await this.#setFull(false);
    const seen = await statesOf(this.#redis, this.#scene.checks);
    operations.forEach((operation, i) => {
      const { failure } = answers[i] as { failure?: string };
      const end = failure === undefined ? 'answered' : `failed: ${failure}`;
      this.#story.push(`${atMs - BEGINNING_MS} ms${isFull ? ', full' : ''}: ${operationText(operation)}: ${end}`);
    });
    const all = this.#histories.flatMap((history) => continuations(history, atMs, operations, answers));
    const tried = await Promise.all(all.map((continuation) => outcomeOf(continuation, atMs, this.#scene.checks)));
    const possible = all.filter((continuation, i) => {
      const { states, replies } = tried[i] as Outcome;
      return isDeepStrictEqual(states, seen) && agree(continuation, replies);
    });
    if (possible.length === 0) return problemText(seen, tried as readonly Outcome[], this.#scene.checks);
    this.#histories = possible.slice(0, MOST_HISTORIES).map(({ made }) => made);
    return undefined;
  }

  async #setFull(isFull: boolean): Promise<void> {
    await this.#client.call('CONFIG', ['SET', 'maxmemory', isFull ? '1' : '0']);
  }
}

/** A history with what may have been made of a moment, and the replies that this must have given. */
interface Continuation {
  readonly made: History;
  /** The reply of each operation at the end of the history, if somebody got it. */
  readonly replies: readonly (Answer | undefined)[];
}

/** What an operation that failed may have done: nothing, or everything. One that was answered was made. */
function continuations(
  history: History,
  atMs: number,
  operations: readonly Operation[],
  answers: readonly Answer[],
): readonly Continuation[] {
  let all: readonly Continuation[] = [{ made: history, replies: [] }];
  for (const [i, operation] of operations.entries()) {
    const answer = answers[i] as Answer;
    const isKnown = 'reply' in answer;
    all = all.flatMap(({ made, replies }) => {
      const inFull = { made: [...made, { atMs, operation }], replies: [...replies, isKnown ? answer : undefined] };
      return isKnown ? [inFull] : [{ made, replies }, inFull];
    });
  }
  return all;
}

interface Outcome {
  readonly states: readonly unknown[];
  readonly replies: readonly Answer[];
}

/** Lives through a history in memory. */
async function outcomeOf(
  { made, replies }: Continuation,
  nowMs: number,
  checks: readonly LimitCheck[],
): Promise<Outcome> {
  const clock = new ManualClock(BEGINNING_MS);
  const memory = new MemoryStore({ clock });
  try {
    const answers: Answer[] = [];
    for (const { atMs, operation } of made) {
      clock.set(atMs);
      answers.push(await answerOf(memory, operation));
    }
    clock.set(nowMs);
    return { states: await statesOf(memory, checks), replies: answers.slice(made.length - replies.length) };
  } finally {
    memory.close();
  }
}

function agree({ replies }: Continuation, expected: readonly Answer[]): boolean {
  return replies.every((reply, i) => reply === undefined || isDeepStrictEqual(reply, expected[i]));
}

async function answerOf(store: Store, operation: Operation): Promise<Answer> {
  try {
    const reply = await (operation.verb === 'consume' ? store.consume(operation.ask) : store.adjust(operation.change));
    return { reply };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

/** What a look at each key shows. */
function statesOf(store: Store, checks: readonly LimitCheck[]): Promise<readonly unknown[]> {
  return Promise.all(checks.map(async (check) => (await store.consume({ checks: [check], peek: true })).verdicts[0]));
}

function problemText(seen: readonly unknown[], tried: readonly Outcome[], checks: readonly LimitCheck[]): string {
  const states = tried.map(({ states }) => states);
  if (states.some((expected) => isDeepStrictEqual(expected, seen)))
    return 'The states are those of a whole operation, but the answer is another one.';
  const lines = checks.flatMap((check, i) => {
    const expected = [...new Set(states.map((all) => remainingOf(all[i])))];
    const own = remainingOf(seen[i]);
    return [`${check.name} of ${check.key}: ${own} remaining, and ${expected.join(' or ')} if all or nothing is made`];
  });
  return ['The states are neither those before nor those after:', ...lines].join('\n');
}

const remainingOf = (verdict: unknown): unknown => (verdict as { readonly remaining?: unknown })?.remaining;

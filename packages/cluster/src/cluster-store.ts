import {
  type Blocks,
  type Change,
  type ChangeResponse,
  type Clock,
  type Consumed,
  fixedWindow,
  MemoryStore,
  type MemoryStoreOptions,
  type PolicyOutline,
  type Receiver,
  SluiceError,
  type Store,
  type StoreRequest,
  type StoreResponse,
  type Target,
} from '@sluice/core';
import {
  type Asked,
  Batcher,
  DeadlineBudget,
  Keyspace,
  makeCall,
  protectStore,
  type ReadyOptions,
  type StoreCall,
  sharingOf,
  untilReady,
} from '@sluice/core/store';
import { checkName, checkOptions, clockOf, Deferred, isMistake, promiseOf, timerMs } from '@sluice/core/values';
import { readAnswers } from './call-writer.js';
import { type ClusterStoreOptions, checkClusterOptions, checkSnapshot } from './cluster-store-options.js';
import { placeIn, removeSocket } from './place.js';
import { type Batch, PrimaryLink } from './primary-link.js';
import { PrimaryServer } from './primary-server.js';
import { claimSnapshot, openMemory, saveMemory } from './snapshot-file.js';

/** The most calls that are sent together. */
const MOST_CALLS = 1024;

/** A request that tests whether the primary answers. No policy has an empty name. */
const TRIAL = { policy: '', name: '', key: '', limit: fixedWindow({ limit: 1, window: '1s' }), cost: 1 };

/** What stores of one process with the same channel have in common, by the channel. */
const places = new Map<string, object>();

/**
 * Makes the store of a process that `node:cluster` or PM2 runs several times. The primary keeps the counters in its memory, and the other
 * processes ask it. Call it with the same options in all of them; with `node:cluster` also in the primary.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const store = clusterStore({ instances: 4 });
 * app.use(rateLimit({ limit: 100, window: '1m', store }));
 */
export function clusterStore(options: ClusterStoreOptions = {}): ClusterStore {
  return new ClusterStore(options);
}

/**
 * Counts in the memory of one process, for all processes that `node:cluster` or PM2 runs on a machine. Each decision about any mix of limits is
 * one step, and those of one turn of the event loop share a message. Choose it if your application runs as several processes on one machine: it
 * is faster than a server, and forgets what was counted when the primary ends. A `RedisStore` or a `PostgresStore` counts for several machines.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const store = new ClusterStore({ instances: 4 });
 */
export class ClusterStore implements Store<true> {
  readonly async = true;
  readonly name: string;
  readonly clock: Clock;
  /** All checks of a request are decided in one step, whatever their keys are. */
  readonly supports = { atomicAcrossKeys: true } as const;
  readonly remote: NonNullable<Store['remote']>;
  readonly keyspaces: readonly [Keyspace];
  readonly blocks: Blocks<true> = {
    block: (order) => this.#call({ method: 'block', argument: order }),
    unblock: (targets) => this.#call({ method: 'unblock', argument: targets }),
    find: (targets) => this.#call({ method: 'find', argument: targets }),
    list: (policy, range) => this.#call({ method: 'list', argument: [policy, range] }),
  };

  readonly #channel: string;
  readonly #snapshot: string | undefined;
  readonly #memoryOptions: MemoryStoreOptions;
  readonly #batcher: Batcher<StoreCall, unknown, string | MemoryStore>;
  readonly #link: PrimaryLink;
  readonly #timeListeners: ((atMs: number, askedMs: number) => void)[] = [];
  #server: PrimaryServer | undefined;
  /** The counters, in the process that keeps them. */
  #memory: MemoryStore | undefined;
  #ageMs: number | undefined;
  /** Why this process cannot keep the counters, although it shall. */
  #refusal: string | undefined;
  #isClosed = false;

  constructor(options: ClusterStoreOptions = {}) {
    checkClusterOptions(options);
    const { name = 'cluster', snapshot, timeout = 50, maxKeys, whenFull, clock } = options;
    this.name = checkName(name, 'name');
    this.clock = clockOf(clock);
    const { role, channel } = placeIn({ ...options, name });
    this.#channel = channel;
    this.keyspaces = [keyspaceOf(channel)];
    const timeoutMs = timerMs(timeout, 'timeout');
    this.remote = {
      timeoutMs,
      ...sharingOf(options),
      protect: protectStore,
      trouble: () => this.#trouble,
      onServerTime: (listener) => void this.#timeListeners.push(listener),
    };
    this.#memoryOptions = {
      name: `${name}-memory`.slice(-128),
      clock: this.clock,
      ...(maxKeys !== undefined && { maxKeys }),
      ...(whenFull !== undefined && { whenFull }),
    };
    // Every process says what is wrong with an option, and not the primary alone.
    new MemoryStore(this.#memoryOptions).close();
    if (snapshot !== undefined) {
      this.#snapshot = checkSnapshot(snapshot);
      this.keyspaces[0].whenClosed(claimSnapshot(this.#snapshot, channel));
    }
    this.#batcher = new Batcher({
      send: (calls, replied, failed) => this.#send({ calls, replied, failed }),
      distribute,
      fail,
      maxSize: MOST_CALLS,
      defer: process.nextTick,
    });
    this.#link = new PrimaryLink(channel, timeoutMs, {
      connected: (atMs, askedMs) => {
        for (const listener of this.#timeListeners) listener(atMs, askedMs);
      },
      lost: (error, socket) => !(role === 'primary' && !this.#isClosed && this.#takeOver(error, socket)),
    });
    if (!(role === 'primary' && this.#keep())) this.#link.connect();
  }

  /** Whether this process keeps the counters now. */
  get isPrimary(): boolean {
    return this.#memory !== undefined;
  }

  /**
   * In the primary: how many milliseconds lay between the end of the primary before it, which has written the `snapshot`, and its own start.
   * Undefined if it has begun with nothing, and in workers.
   */
  get snapshotAgeMs(): number | undefined {
    return this.#ageMs;
  }

  /**
   * Resolves when the primary answers. It is optional: call it at the start of a program to see problems early.
   *
   * @throws SluiceError `SLUICE_STORE` if it does not answer within the `timeout`; `SLUICE_CLOSED`
   * @example
   * await store.ready({ timeout: '2s' });
   */
  async ready(options: ReadyOptions = {}): Promise<void> {
    checkOptions(options, ['timeout']);
    const timeoutMs = timerMs(options.timeout ?? 5000, 'timeout');
    const [keyspace] = this.keyspaces;
    let lastError: unknown;
    const work = async (over: AbortSignal): Promise<void> => {
      while (!over.aborted) {
        try {
          await this.#call({ method: 'consume', argument: { checks: [TRIAL], peek: true } });
          return;
        } catch (error) {
          if (isMistake(error)) throw error;
          lastError = error;
        }
      }
    };
    const late = () => ({ what: 'the primary did not answer', why: [this.#trouble], cause: lastError });
    await untilReady({ keyspace, timeoutMs, work, late });
  }

  /** Makes what a limit needs once, so that the first request does not wait for it. */
  accept(policy: PolicyOutline): void {
    this.#memory?.accept(policy);
  }

  consume(request: StoreRequest): Consumed<true> {
    const response = new Deferred<StoreResponse>();
    try {
      this.#checkOpen();
      if (this.#memory) return this.#memory.consume(request);
      this.#batcher.ask({ method: 'consume', argument: request }, 1, response as Receiver<unknown>);
    } catch (error) {
      response.reject(error);
    }
    return response;
  }

  adjust(change: Change): Promise<ChangeResponse> {
    return this.#call({ method: 'adjust', argument: change });
  }

  reset(targets: readonly Target[]): Promise<number> {
    return this.#call({ method: 'reset', argument: targets });
  }

  /**
   * In a worker, waits until running calls have ended, at most as long as a decision may take. In the primary, the counters end with it, and are
   * written to the `snapshot`: close it after its workers.
   *
   * @throws SluiceError `SLUICE_STORE` if the snapshot cannot be written
   */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.keyspaces[0].close();
    if (this.#memory) {
      this.#endMemory(this.#memory);
      return;
    }
    await new DeadlineBudget(this.remote.timeoutMs).within(this.#batcher.answered()).catch(() => {});
    for (const { failed } of this.#link.close()) failed(closedError());
  }

  get #trouble(): string | undefined {
    return this.#memory ? undefined : (this.#refusal ?? this.#link.trouble);
  }

  async #call<Result>(call: StoreCall): Promise<Result> {
    this.#checkOpen();
    if (this.#memory) return makeCall(this.#memory, call) as Result;
    return promiseOf((receiver: Receiver<Result>) => this.#batcher.ask(call, 1, receiver as Receiver<unknown>));
  }

  /** Sends calls to the primary. This process may have become it, while they waited behind others. */
  #send(batch: Batch): void {
    if (this.#memory) process.nextTick(batch.replied, this.#memory);
    else this.#link.send(batch);
  }

  /** Keeps the counters, unless another process has the channel. Returns whether it does. */
  #keep(): boolean {
    this.#server = PrimaryServer.open(
      this.#channel,
      () => this.#openMemory(),
      ({ message }) => {
        this.#refusal = `this process cannot keep the counters: ${message}`;
      },
    );
    return this.#server !== undefined;
  }

  #openMemory(): MemoryStore {
    const { memory, ageMs } = openMemory(this.#snapshot, this.#memoryOptions);
    this.#memory = memory;
    this.#ageMs = ageMs;
    if (this.#snapshot !== undefined) process.once('exit', this.#atExit);
    return memory;
  }

  /** Writes the counters of a store that nobody has closed. Nobody can hear of a failure any more. */
  readonly #atExit = (): void => {
    try {
      saveMemory(this.#snapshot as string, this.#memory as MemoryStore);
    } catch {}
  };

  /** Ends the counters of this process, and has the next primary find them. */
  #endMemory(memory: MemoryStore): void {
    process.removeListener('exit', this.#atExit);
    try {
      // The next primary may read it as soon as it can open the channel.
      if (this.#snapshot !== undefined) saveMemory(this.#snapshot, memory);
    } finally {
      this.#server?.close();
      memory.close();
    }
  }

  /** Keeps the counters if the primary before this one is gone, as after a reload. Returns whether it does. */
  #takeOver(error: NodeJS.ErrnoException | undefined, socket: string | undefined): boolean {
    // One that was killed has left its socket behind. Another process may have found that earlier, and listen there by now.
    if (error?.code === 'ECONNREFUSED') removeSocket(this.#channel, socket);
    if (!this.#keep()) return false;
    for (const { replied } of this.#link.close()) replied(this.#memory as MemoryStore);
    return true;
  }

  #checkOpen(): void {
    if (this.#isClosed) throw closedError();
  }
}

const closedError = (): SluiceError => new SluiceError('SLUICE_CLOSED', 'the store was closed');

type AskedCalls = readonly Asked<StoreCall, unknown>[];

/** Gives each call its answer: of a line from the primary, or of the counters if this process has become the primary meanwhile. */
function distribute(calls: AskedCalls, reply: string | MemoryStore): void {
  if (typeof reply === 'string') {
    readAnswers(calls, reply);
    return;
  }
  for (const { question, receiver } of calls) {
    try {
      receiver.resolve(makeCall(reply, question));
    } catch (error) {
      receiver.reject(error);
    }
  }
}

function fail(calls: AskedCalls, error: unknown): void {
  for (const { receiver } of calls) receiver.reject(error);
}

function keyspaceOf(channel: string): Keyspace {
  const place = places.get(channel) ?? {};
  places.set(channel, place);
  const keyspace = new Keyspace(place, {
    place: `the primary at ${channel}`,
    suggestion: 'give one of the stores another name',
  });
  keyspace.identify(`cluster ${channel}`);
  return keyspace;
}

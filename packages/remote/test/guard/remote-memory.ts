import {
  type Blocks,
  type Change,
  type ChangeResponse,
  type Clock,
  MemoryStore,
  type Store,
  type StoreRequest,
  type StoreResponse,
  type Target,
} from '@sluice/core';
import { protectStore } from '@sluice/core/store';
import { blocksLater } from '@sluice/test-kit/blocks-later';

/** A memory store behind a network that a test can slow down, freeze and cut. */
export class RemoteMemory implements Store<true> {
  readonly async = true;
  readonly clock: Clock;
  readonly supports = { atomicAcrossKeys: true };
  readonly remote: NonNullable<Store['remote']>;
  readonly memory: MemoryStore;
  readonly blocks: Blocks<true>;
  /** Whether it only answers reads, like a full Redis or a replica. */
  isReadOnly = false;
  /** The requests that arrived, without peeks that ask for nothing. */
  readonly asks: StoreRequest[] = [];
  /** How many calls of any kind arrived. */
  calls = 0;
  /** The error that it replies with. */
  trouble: string | undefined;
  /** Awaited before a call is carried out. */
  there: () => Promise<void> = async () => {};
  /** Awaited before its reply is delivered. */
  back: () => Promise<void> = async () => {};

  constructor(clock: Clock, timeoutMs = 50) {
    this.clock = clock;
    this.remote = { timeoutMs, instances: 1, trouble: () => this.trouble, protect: protectStore };
    this.memory = new MemoryStore({ clock });
    this.blocks = blocksLater(this.memory.blocks, (call) => this.#carry(call));
  }

  consume(ask: StoreRequest): Promise<StoreResponse> {
    if (ask.checks.length > 0) this.asks.push(ask);
    return this.#carry(() => {
      if (this.isReadOnly && !ask.peek) throw new Error('read-only');
      return this.memory.consume(ask);
    });
  }

  adjust(change: Change): Promise<ChangeResponse> {
    return this.#carry(() => this.memory.adjust(change));
  }

  reset(targets: readonly Target[]): Promise<number> {
    return this.#carry(() => this.memory.reset(targets));
  }

  async close(): Promise<void> {
    this.memory.close();
  }

  /** Holds all calls until the returned function is called. */
  freeze(): () => void {
    let thaw = (): void => {};
    const thawed = new Promise<void>((resolve) => {
      thaw = () => {
        this.there = async () => {};
        resolve();
      };
    });
    this.there = () => thawed;
    return thaw;
  }

  /** Fails all calls. */
  cut(error: Error = new Error('connection lost')): void {
    this.there = async () => {
      throw error;
    };
  }

  mend(): void {
    this.isReadOnly = false;
    this.there = async () => {};
    this.back = async () => {};
  }

  async #carry<T>(work: () => T): Promise<T> {
    this.calls += 1;
    await this.there();
    const answer = work();
    await this.back();
    return answer;
  }
}

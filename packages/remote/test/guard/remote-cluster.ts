import type { Change, Clock, LimitCheck, Placement, Store, StoreRequest, StoreResponse, Target } from '@sluice/core';
import { getOrCreate } from '@sluice/core/src/values/get-or-create';
import { protectStore } from '@sluice/core/store';
import { RemoteMemory } from './remote-memory.js';

/** A store of several servers behind networks of their own. A key `node:rest` lives on `node`, until it is moved. */
export class RemoteCluster implements Store<true> {
  readonly async = true;
  readonly clock: Clock;
  readonly supports = { atomicAcrossKeys: false };
  readonly remote: NonNullable<Store['remote']>;
  readonly nodes: Readonly<Record<string, RemoteMemory>>;
  readonly #moved = new Map<string, string | undefined>();

  /** @param clocks - of the servers, by their names. */
  constructor(clock: Clock, clocks: Readonly<Record<string, Clock>>, timeoutMs = 50) {
    this.clock = clock;
    this.nodes = Object.fromEntries(
      Object.entries(clocks).map(([name, own]) => [name, new RemoteMemory(own, timeoutMs)]),
    );
    const placement: Placement = { groupOf: ({ key }) => key, nodeOf: ({ key }) => this.#nodeOf(key) };
    this.remote = { timeoutMs, instances: 1, placement, protect: protectStore };
  }

  /** Moves a key to another server. Undefined: no server is known to have it. */
  move(key: string, node: string | undefined): void {
    this.#moved.set(key, node);
  }

  async consume(ask: StoreRequest): Promise<StoreResponse> {
    return this.#holder(ask.checks).consume(ask);
  }

  async adjust(change: Change): ReturnType<RemoteMemory['adjust']> {
    return this.#holder(change.checks).adjust(change);
  }

  async reset(targets: readonly Target[]): ReturnType<RemoteMemory['reset']> {
    return this.#holder(targets).reset(targets);
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.nodes).map((node) => node.close()));
  }

  /** Keys that no test has named, such as those of probes, are spread over all servers. */
  #nodeOf(key: string): string | undefined {
    if (this.#moved.has(key)) return this.#moved.get(key);
    const [node = ''] = key.split(':');
    const names = Object.keys(this.nodes);
    return names.includes(node) ? node : names[Number(key) % names.length];
  }

  /** The server that has all of these keys. */
  #holder(targets: readonly Pick<LimitCheck, 'key'>[]): RemoteMemory {
    const holders = new Map<string, true>();
    for (const { key } of targets) getOrCreate(holders, this.#nodeOf(key) ?? 'a', () => true as const);
    if (holders.size > 1) throw new Error('One step reaches one server');
    return this.nodes[[...holders.keys()][0] ?? 'a'] as RemoteMemory;
  }
}

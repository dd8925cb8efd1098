import type { Store } from '@sluice/core';
import type { SimulatedProcess } from '../process/simulated-process.js';
import { SimulatedRedis } from '../redis/simulated-redis.js';
import type { StoreSetup } from '../tape/tape.js';
import { PHASE } from '../world/event-queue.js';
import type { Link } from '../world/link.js';
import type { World } from '../world/world.js';
import { recommendedSettings, SimulatedRedisClient } from './clients/simulated-redis-client.js';
import { SimulatedTableClient } from './clients/simulated-table-client.js';
import type { Server } from './servers/server.js';

/** What a process needs to make its stores. */
export interface StorePlace {
  readonly world: World;
  readonly process: SimulatedProcess;
  readonly servers: readonly Server[];
  /** Its ways to the servers, by their numbers. */
  readonly links: readonly Link[];
}

/** What the page of the Redis store recommended before there was `reconnectDelay`: a search plays such code, too. */
const LONG_AGO = (): number => 50;

/** So that a key is asked about alone first, and decided in the process soon. */
const SOON = { busyFrom: 2 };

/** The stores of one process, as an application makes them at its start. */
export class ProcessStores {
  /** The one in front of all others, or the only one. */
  readonly front: Store;
  readonly #place: StorePlace;
  readonly #clients: SimulatedRedisClient[] = [];
  readonly #memories: { readonly size: number }[] = [];

  constructor(place: StorePlace, setup: StoreSetup) {
    this.#place = place;
    this.front = this.#made(setup);
  }

  /** How many keys its memory stores keep. */
  get heldKeys(): number {
    this.#place.process.enter();
    return this.#memories.reduce((sum, { size }) => sum + size, 0);
  }

  /** Ends the clients, as an application does after it has closed its stores. */
  disconnect(): void {
    for (const client of this.#clients) client.disconnect();
  }

  #made(setup: StoreSetup): Store {
    const { core, distributed } = this.#place.process.exports;
    switch (setup.kind) {
      case 'memory': {
        const store = new core.MemoryStore();
        this.#memories.push(store);
        return store;
      }
      case 'redis':
      case 'table':
        return this.#overServer(setup);
      case 'sharded': {
        const nodes = setup.nodes.map((node, i) => [`node-${i}`, this.#made(node)] as const);
        return new distributed.ShardedStore({ nodes: Object.fromEntries(nodes) as Record<string, Store<true>> });
      }
      case 'leased':
        return new distributed.LeasedStore({
          store: this.#made(setup.of) as Store<true>,
          lease: setup.leaseMs,
          ...(setup.busyFrom === undefined && SOON),
        });
      case 'synced': {
        const { of, syncMs, slice } = setup;
        const store = this.#made(of) as Store<true>;
        return new distributed.SyncedStore({ store, sync: syncMs, slice, ...(setup.busyFrom === undefined && SOON) });
      }
    }
  }

  #overServer({ server, timeoutMs, instances }: Extract<StoreSetup, { readonly server: number }>): Store {
    const { world, process, servers, links } = this.#place;
    const { redis: redisPackage, store } = process.exports;
    const { node, database } = servers[server] as Server;
    const link = links[server] as Link;
    if (database instanceof SimulatedRedis) {
      const retryMs = redisPackage.reconnectDelay?.({ instances }) ?? LONG_AGO;
      const settings = recommendedSettings(instances, retryMs);
      const client = new SimulatedRedisClient({ world, owner: process, link, node, redis: database, settings });
      this.#clients.push(client);
      return new redisPackage.RedisStore({ client, timeout: timeoutMs, instances });
    }
    const later = (ms: number, run: () => void): (() => void) => {
      const event = world.after(ms, PHASE.timers, run, process);
      return () => {
        event.isOver = true;
      };
    };
    const backend = new SimulatedTableClient({ link, node, table: database, later });
    return store.compareAndSwapStore(backend, { timeout: timeoutMs, instances });
  }
}

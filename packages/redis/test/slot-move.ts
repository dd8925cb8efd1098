import type { RedisCluster } from '@sluice/test-kit/redis/redis-cluster';
import { Redis } from 'ioredis';

/** A slot of a cluster on its way from one node to another, in the steps that `redis-cli --cluster reshard` takes. */
export class SlotMove {
  readonly #slot: number;
  /** The one that has the slot, the one that gets it, and the others. */
  readonly #nodes: readonly [Redis, Redis, ...Redis[]];

  private constructor(slot: number, nodes: readonly [Redis, Redis, ...Redis[]]) {
    this.#slot = slot;
    this.#nodes = nodes;
  }

  /** From now on whoever asks for a key that is not with the source any more, or not yet, is sent on to the target. */
  static async begin(cluster: RedisCluster, slot: number): Promise<SlotMove> {
    const nodes = cluster.servers.map(({ port }) => new Redis(port));
    const from = await cluster.ownerOf(slot);
    const [source, target, ...others] = [...nodes.slice(from), ...nodes.slice(0, from)] as [Redis, Redis, ...Redis[]];
    await target.call('CLUSTER', ['SETSLOT', slot, 'IMPORTING', await idOf(source)]);
    await source.call('CLUSTER', ['SETSLOT', slot, 'MIGRATING', await idOf(target)]);
    return new SlotMove(slot, [source, target, ...others]);
  }

  /** The node that gets the slot. */
  get target(): Redis {
    return this.#nodes[1];
  }

  /** What has not been taken over yet. */
  async keys(): Promise<string[]> {
    const names = await this.#nodes[0].call('CLUSTER', ['GETKEYSINSLOT', this.#slot, 1000]);
    return (names as string[]).sort();
  }

  async take(...keys: string[]): Promise<void> {
    if (keys.length === 0) return;
    const port = this.target.options.port as number;
    await this.#nodes[0].call('MIGRATE', ['127.0.0.1', port, '', 0, 5000, 'KEYS', ...keys]);
  }

  /** Takes what is left, and tells all nodes whose the slot is. */
  async end(): Promise<void> {
    await this.take(...(await this.keys()));
    const [source, target, ...others] = this.#nodes;
    const owner = await idOf(target);
    for (const node of [target, source, ...others]) await node.call('CLUSTER', ['SETSLOT', this.#slot, 'NODE', owner]);
    for (const node of this.#nodes) node.disconnect();
  }
}

async function idOf(node: Redis): Promise<string> {
  return String(await node.call('CLUSTER', ['MYID']));
}

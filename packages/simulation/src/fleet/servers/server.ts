import { SimulatedClock } from '../../process/simulated-clock.js';
import { SimulatedRedis } from '../../redis/simulated-redis.js';
import { SimulatedTable } from '../../table/simulated-table.js';
import type { ServerSetup } from '../../tape/tape.js';
import type { World } from '../../world/world.js';
import { type Database, ServerNode } from './server-node.js';

/** A server of a run: its machine, its clock, and what it is. */
export interface Server {
  readonly node: ServerNode;
  readonly clock: SimulatedClock;
  readonly database: SimulatedRedis | SimulatedTable;
}

export function serverOf(
  world: World,
  { kind, clockAheadMs, driftPpm, commandMs }: ServerSetup,
  index: number,
): Server {
  const clock = new SimulatedClock(world, clockAheadMs, driftPpm);
  if (kind === 'table') {
    const table = new SimulatedTable(clock);
    return { node: new ServerNode(world, tableDatabase(table), commandMs), clock, database: table };
  }
  const chance = world.chance.source(`server ${index}`);
  const redis = new SimulatedRedis(clock);
  const evicts = (keys: readonly string[]): string => keys[Math.floor(chance.next() * keys.length)] as string;
  return { node: new ServerNode(world, redisDatabase(redis, evicts), commandMs), clock, database: redis };
}

function redisDatabase(redis: SimulatedRedis, evicts: (keys: readonly string[]) => string): Database {
  return {
    keys: () => redis.keys(),
    loseKey: (key) => redis.loseKey(key),
    clear: () => redis.clear(),
    fill: (policy) => redis.fill(policy, evicts),
    drain: () => redis.drain(),
    remember() {
      const contents = redis.snapshot();
      return () => redis.restore(contents);
    },
    forgetOfProcess: () => redis.forgetScripts(),
  };
}

function tableDatabase(table: SimulatedTable): Database {
  return {
    keys: () => table.keys(),
    loseKey: (key) => table.loseKey(key),
    clear: () => table.clear(),
    // A database never throws entries away that still count.
    fill: () => table.fill(),
    drain: () => table.drain(),
    remember() {
      const contents = table.snapshot();
      return () => table.restore(contents);
    },
    forgetOfProcess: () => {},
  };
}

import type { Redis } from 'ioredis';

/** What a server has done since it started. */
export interface RedisWork {
  readonly processorMs: number;
  /** Of clients and of scripts, but for those that ask for these figures. */
  readonly commands: number;
}

export async function workOf(client: Redis): Promise<RedisWork> {
  const stats = await client.info('commandstats');
  const calls = [...stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)].filter(([, command]) => command !== 'info');
  const cpu = await client.info('cpu');
  const seconds = (name: string): number => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(cpu)?.[1]);
  return {
    processorMs: 1_000 * (seconds('used_cpu_user') + seconds('used_cpu_sys')),
    commands: calls.reduce((sum, [, , count]) => sum + Number(count), 0),
  };
}

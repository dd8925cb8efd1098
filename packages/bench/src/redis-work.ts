import type { Redis } from 'ioredis';

/** What a server has done since it started. */
interface RedisWork {
  readonly processorMs: number;
  readonly commands: readonly Command[];
}

interface Command {
  readonly name: string;
  readonly calls: number;
  /** By Redis' own clock. The time of a script contains that of its commands. */
  readonly ms: number;
}

/** What a decision cost a server. */
export interface WorkOfDecision {
  readonly redisUs: number;
  /** In the commands of clients: without reading requests and writing replies. */
  readonly commandUs: number;
  /** Of clients and of scripts. */
  readonly commands: number;
}

const RUNS_SCRIPT = /^(eval|evalsha|fcall)(_ro)?$/;

export async function workOf(client: Redis): Promise<RedisWork> {
  const stats = await client.info('commandstats');
  const cpu = await client.info('cpu');
  const seconds = (name: string): number => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(cpu)?.[1]);
  return {
    processorMs: 1_000 * (seconds('used_cpu_user') + seconds('used_cpu_sys')),
    // These figures are asked for by INFO.
    commands: commandsIn(stats).filter(({ name }) => name !== 'info'),
  };
}

/** The commands of a reply to `INFO commandstats`. */
export function commandsIn(stats: string): Command[] {
  return [...stats.matchAll(/^cmdstat_([^:]+):calls=(\d+),usec=(\d+)/gm)].map(([, name = '', calls, us]) => ({
    name,
    calls: Number(calls),
    ms: Number(us) / 1_000,
  }));
}

/** What so many decisions cost between two readings. */
export function workOfDecision(before: RedisWork, after: RedisWork, decisions: number): WorkOfDecision {
  const earlier = new Map(before.commands.map((command) => [command.name, command]));
  const commands = after.commands.map(({ name, calls, ms }) => {
    const { calls: callsBefore = 0, ms: msBefore = 0 } = earlier.get(name) ?? {};
    return { name, calls: calls - callsBefore, ms: ms - msBefore };
  });
  const scripts = commands.filter(({ name, calls }) => calls > 0 && RUNS_SCRIPT.test(name));
  const sum = (list: readonly Command[], what: 'calls' | 'ms'): number =>
    list.reduce((total, command) => total + command[what], 0);
  return {
    redisUs: (1_000 * (after.processorMs - before.processorMs)) / decisions,
    commandUs: (1_000 * sum(scripts.length > 0 ? scripts : commands, 'ms')) / decisions,
    commands: sum(commands, 'calls') / decisions,
  };
}

import type { Redis } from 'ioredis';

/** What a server has done since it started. */
interface RedisWork {
  readonly processorMs: number;
  readonly commands: readonly Command[];
  /** What it has read and written, with what it was asked for this reading, and with the replies to that but the last one. */
  readonly bytes: Traffic;
  /** What was asked for this reading, and the replies to that but the last one. */
  readonly ownBytes: Traffic;
  /** The reply that says how much was written, which is not counted yet. */
  readonly lastReplyBytes: number;
}

/** Bytes over the network. */
interface Traffic {
  readonly read: number;
  readonly written: number;
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
  /** Over the network, from all clients and to them. */
  readonly readBytes: number;
  readonly writtenBytes: number;
}

const RUNS_SCRIPT = /^(eval|evalsha|fcall)(_ro)?$/;

/** In this order: what the last one says is then as late as possible. */
const READINGS = ['commandstats', 'cpu', 'stats'] as const;

/** Reads what a server has done. */
export async function workOf(client: Redis): Promise<RedisWork> {
  const replies: string[] = [];
  for (const section of READINGS) replies.push(await client.info(section));
  return workIn(replies);
}

/** The work in the replies to `INFO`, in the order of `READINGS`. */
export function workIn(replies: readonly string[]): RedisWork {
  const [stats, cpu, traffic] = replies as [string, string, string];
  const numberIn = (reply: string, name: string): number =>
    Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(reply)?.[1]);
  const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);
  return {
    processorMs: 1_000 * (numberIn(cpu, 'used_cpu_user') + numberIn(cpu, 'used_cpu_sys')),
    // These figures are asked for by INFO.
    commands: commandsIn(stats).filter(({ name }) => name !== 'info'),
    bytes: {
      read: numberIn(traffic, 'total_net_input_bytes'),
      written: numberIn(traffic, 'total_net_output_bytes'),
    },
    ownBytes: {
      read: sum(READINGS.map((section) => `*2\r\n${bulk('info')}${bulk(section)}`.length)),
      written: sum([stats, cpu].map((reply) => verbatim(reply).length)),
    },
    lastReplyBytes: verbatim(traffic).length,
  };
}

/** A string as the protocol of Redis has it, of a command. All that is counted here is ASCII. */
const bulk = (text: string): string => `$${text.length}\r\n${text}\r\n`;

/** The same of a reply that is for people, with the kind of its text. */
const verbatim = (text: string): string => `=${text.length + 4}\r\ntxt:${text}\r\n`;

/** The commands of a reply to `INFO commandstats`. */
function commandsIn(stats: string): Command[] {
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
    readBytes: (after.bytes.read - before.bytes.read - after.ownBytes.read) / decisions,
    writtenBytes:
      (after.bytes.written - before.bytes.written - after.ownBytes.written - before.lastReplyBytes) / decisions,
  };
}

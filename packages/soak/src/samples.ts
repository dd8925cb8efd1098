import type { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { withClient } from './ask-redis.js';
import type { Quantity, Sample } from './growth.js';
import type { Programs } from './programs.js';

/** Samples of what the processes and the servers have. */
export class Samples {
  readonly #programs: Programs;
  readonly #taken: Sample[] = [];
  readonly #failures: string[] = [];
  #cpuMs = 0;

  constructor(programs: Programs) {
    this.#programs = programs;
  }

  get taken(): readonly Sample[] {
    return this.#taken;
  }

  /** Keys without an end that were found. */
  get failures(): readonly string[] {
    return this.#failures;
  }

  /** The processor time of all processes since their start, at the last sample. */
  get cpuMs(): number {
    return this.#cpuMs;
  }

  /** @throws Error if a process has ended */
  async take(): Promise<void> {
    const { processes, servers } = this.#programs;
    const ended = processes.flatMap(({ failure }) => failure ?? []);
    if (ended.length > 0) throw new Error(ended.join('\n'));
    this.#cpuMs = 0;
    for (const process of processes) {
      const { heapMb, handles, timers, cpuMs } = await process.usage();
      this.#note(process.name, 'heapMb', heapMb);
      this.#note(process.name, 'handles', handles);
      this.#note(process.name, 'timers', timers);
      this.#cpuMs += cpuMs;
    }
    let sum = 0;
    for (const server of servers) {
      const { keys, endless } = await keysOf(server);
      sum += keys;
      if (endless > 0) this.#failures.push(`${endless} keys of Redis have no end`);
    }
    this.#note('redis', 'keys', sum);
  }

  /** The last sample as a text. */
  get text(): string {
    const last = new Map(this.#taken.map((sample) => [`${sample.of} ${sample.quantity}`, sample.value]));
    const now = (of: string, quantity: Quantity): number => last.get(`${of} ${quantity}`) ?? 0;
    const processes = this.#programs.processes.map(
      ({ name }) =>
        `${name} ${now(name, 'heapMb').toFixed(1)} MB, ${now(name, 'handles')} handles, ${now(name, 'timers')} timers`,
    );
    return [...processes, `${now('redis', 'keys')} keys`].join('; ');
  }

  #note(of: string, quantity: Quantity, value: number): void {
    this.#taken.push({ atMs: performance.now(), of, quantity, value });
  }
}

const COUNT_KEYS = `
local all = redis.call('KEYS', '*')
local endless = 0
for _, key in ipairs(all) do
  if redis.call('PTTL', key) == -1 then endless = endless + 1 end
end
return { #all, endless }`;

/** How many keys a server has, and how many of them stay for ever. */
function keysOf(server: RedisServer): Promise<{ readonly keys: number; readonly endless: number }> {
  return withClient(server, async (client) => {
    const [keys, endless] = (await client.eval(COUNT_KEYS, 0)) as [number, number];
    return { keys, endless };
  });
}

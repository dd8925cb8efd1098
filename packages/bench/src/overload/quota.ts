import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** A process gets the processor for this part of each period. */
const PERIOD_MS = 100;
export const PART = 0.5;

/** Where Linux mounts the controller of the processor: of cgroups version 1, and of all controllers of version 2. */
const VERSION_1 = '/sys/fs/cgroup/cpu';
const VERSION_2 = '/sys/fs/cgroup';

/** Holds processes to half a processor. */
export interface Quota {
  readonly by: 'cgroup' | 'SIGSTOP';
  /** Holds a process. Returns a function to call before it ends. */
  hold(pid: number): () => void;
  close(): Promise<void>;
}

/** A cgroup where this process may make one, as containers have it; otherwise signals. */
export function openQuota(): Quota {
  return openCgroup() ?? new Slices();
}

function openCgroup(): Quota | undefined {
  const isVersion2 = existsSync(join(VERSION_2, 'cgroup.controllers'));
  const folder = join(isVersion2 ? VERSION_2 : VERSION_1, `sluice-overload-${process.pid}`);
  const write = (file: string, text: string | number): void => writeFileSync(join(folder, file), `${text}`);
  const periodUs = 1000 * PERIOD_MS;
  try {
    mkdirSync(folder);
  } catch {
    return undefined;
  }
  try {
    // With the largest weight, nothing but the quota takes the processor away, even on a busy machine.
    if (isVersion2) {
      write('cpu.max', `${PART * periodUs} ${periodUs}`);
      write('cpu.weight', 10_000);
    } else {
      write('cpu.shares', 262_144);
      write('cpu.cfs_period_us', periodUs);
      write('cpu.cfs_quota_us', PART * periodUs);
    }
  } catch {
    rmdirSync(folder);
    return undefined;
  }
  return {
    by: 'cgroup',
    hold(pid) {
      write('cgroup.procs', pid);
      return () => {};
    },
    async close() {
      // The kernel needs a moment to forget processes that have ended. A folder that stays holds nobody.
      for (let tries = 0; tries < 20 && existsSync(folder); tries += 1) {
        try {
          rmdirSync(folder);
        } catch {
          await pause(100);
        }
      }
    },
  };
}

/** Lets processes stand still for the first part of each period. */
class Slices implements Quota {
  readonly by = 'SIGSTOP';
  readonly #pids = new Set<number>();
  readonly #closing = new AbortController();

  constructor() {
    this.#run().catch(() => {});
  }

  hold(pid: number): () => void {
    this.#pids.add(pid);
    return () => {
      this.#pids.delete(pid);
      process.kill(pid, 'SIGCONT');
    };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#signal('SIGCONT');
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    for (;;) {
      this.#signal('SIGSTOP');
      await pause(PERIOD_MS * (1 - PART), undefined, { signal });
      this.#signal('SIGCONT');
      await pause(PERIOD_MS * PART, undefined, { signal });
    }
  }

  #signal(name: NodeJS.Signals): void {
    for (const pid of this.#pids) process.kill(pid, name);
  }
}

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A core for the server that all share, and another for whoever calls it. */
export interface Cores {
  readonly server: number;
  readonly callers: number;
}

/** Two cores that this process may use, and onto which Linux can bind processes. None on other machines. */
export async function twoCores(): Promise<Cores | undefined> {
  if (process.platform !== 'linux') return undefined;
  const [callers, server] = coresIn(readFileSync('/proc/self/status', 'utf8'));
  if (callers === undefined || server === undefined) return undefined;
  const isInstalled = await run('taskset', ['--version']).then(
    () => true,
    () => false,
  );
  return isInstalled ? { callers, server } : undefined;
}

/** Binds all threads of a process to a core, and so all that these begin later. */
export async function pin(pid: number, core: number): Promise<void> {
  await run('taskset', ['--all-tasks', '--cpu-list', '--pid', `${core}`, `${pid}`]);
}

/** The numbers in the line `Cpus_allowed_list: 0-2,4` of a status. */
export function coresIn(status: string): number[] {
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1];
  if (list === undefined) return [];
  return list.split(',').flatMap((part) => {
    const [first, last = first] = part.split('-').map(Number);
    if (first === undefined || last === undefined) return [];
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}

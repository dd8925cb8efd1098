import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A program and its arguments. */
export type Command = readonly [program: string, ...args: readonly string[]];

/** Where and how long a command may run. */
export interface RunOptions {
  readonly folder: string;
  /** Variables of its environment, beside those of this process. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly limitMs: number;
  /** Stops it at once. */
  readonly signal?: AbortSignal;
}

/** How a command has ended. `late`: it was killed at its time limit. `stopped`: by the signal. */
export interface Ending {
  readonly how: 'passed' | 'failed' | 'late' | 'stopped';
  readonly ms: number;
  /** The end of what it wrote. */
  readonly output: string;
}

/** How much of the output is kept, in characters. */
const OUTPUT_KEPT = 200_000;

/** Runs a command to its end. Nothing that it has started outlives it, as long as that stays in its process group. */
export async function runCommand([program, ...args]: Command, options: RunOptions): Promise<Ending> {
  const { folder, variables, limitMs, signal } = options;
  if (signal?.aborted) return { how: 'stopped', ms: 0, output: '' };
  const startMs = performance.now();
  // A process group of its own, so that it can be killed with all that it has started.
  const child = spawn(program, args, {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...variables },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-OUTPUT_KEPT);
    });
  }
  let how: Ending['how'] = 'passed';
  const killAs = (reason: 'late' | 'stopped'): void => {
    how = reason;
    killGroup(child.pid);
  };
  const stop = (): void => killAs('stopped');
  const timer = setTimeout(() => killAs('late'), limitMs);
  signal?.addEventListener('abort', stop);
  try {
    const closed = once(child, 'close');
    closed.catch(() => {});
    const [code] = await once(child, 'exit');
    // What it has left behind could keep its output open.
    killGroup(child.pid);
    await closed;
    if (how === 'passed' && code !== 0) how = 'failed';
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
  return { how, ms: Math.round(performance.now() - startMs), output };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}

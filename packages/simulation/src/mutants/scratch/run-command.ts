import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';

/** A program and its arguments. */
export type Command = readonly [program: string, ...args: readonly string[]];

/** Where and how long a command may run. */
export interface RunOptions {
  readonly folder: string;
  /** Variables of its environment, beside those of this process. */
  readonly variables?: Readonly<Record<string, string>>;
  /** How long each of its processes may use a processor. On a busy machine it may take eight times as long. */
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

/** A command that waits for ever uses no processor. */
const WAITS_PER_LIMIT = 8;

/** The shell gives the limit, in seconds, to what it becomes. */
const LIMITED: Command = ['sh', '-c', 'ulimit -S -t "$0" && exec "$@"'];

/** How much of the output is kept, in characters. */
const OUTPUT_KEPT = 200_000;

/** Runs a command to its end. Nothing that it has started outlives it, as long as that stays in its process group. */
export async function runCommand(command: Command, options: RunOptions): Promise<Ending> {
  const { folder, variables, limitMs, signal } = options;
  if (signal?.aborted) return { how: 'stopped', ms: 0, output: '' };
  const startMs = performance.now();
  const [program, ...args] = [...LIMITED, String(Math.ceil(limitMs / 1000)), ...command];
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
  const timer = setTimeout(() => killAs('late'), limitMs * WAITS_PER_LIMIT);
  signal?.addEventListener('abort', stop);
  try {
    const closed = once(child, 'close');
    closed.catch(() => {});
    const [code, end] = await once(child, 'exit');
    // What it has left behind could keep its output open.
    killGroup(child.pid);
    await closed;
    if (how === 'passed' && code !== 0) how = isOverLimit(code, end) ? 'late' : 'failed';
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
  return { how, ms: Math.round(performance.now() - startMs), output };
}

/** A shell in between reports the signal as a code. */
const isOverLimit = (code: number | null, end: NodeJS.Signals | null): boolean =>
  end === 'SIGXCPU' || code === 128 + constants.signals.SIGXCPU;

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}

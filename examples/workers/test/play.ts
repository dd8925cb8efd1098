import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { TestProgram } from '@sluice/test-kit/test-program';
import { type Arrival, FakeUpstream } from '../src/upstream.js';
import type { Quota } from '../src/upstream-limiter.js';

/** What is played: messages for workers that share the limit of an upstream, which answers one request with 429. */
export interface Scene {
  readonly workers: number;
  readonly messages: number;
  readonly quota: Quota;
  /** The request that is answered with 429. */
  readonly overloadedAt: number;
  readonly retryAfterS: number;
}

export interface Played {
  /** What the upstream got, in order. */
  readonly record: readonly Arrival[];
  /** When a worker had asked all others for the pause. */
  readonly pausedAtMs: number;
  /** The states of the first job and of the last one, as the web process tells. */
  readonly states: readonly string[];
  readonly exitCodes: readonly (number | null)[];
}

/** Plays a scene with a Redis, an upstream, a web process and workers of its own. All of them have ended afterwards. */
export async function play({ workers, messages, quota, overloadedAt, retryAfterS }: Scene): Promise<Played> {
  const upstream = new FakeUpstream({ retryAfterS, isOverloaded: (nth) => nth === overloadedAt });
  const programs = { web: await programOf('web-main'), worker: await programOf('worker-main') };
  const redis = await RedisServer.start();
  const processes: Process[] = [];
  try {
    upstream.server.listen(0, '127.0.0.1');
    await once(upstream.server, 'listening');
    const env = {
      REDIS_URL: `redis://127.0.0.1:${redis.port}`,
      PORT: '0',
      UPSTREAM_URL: `http://127.0.0.1:${(upstream.server.address() as AddressInfo).port}`,
      UPSTREAM_LIMIT: `${quota.limit}`,
      UPSTREAM_WINDOW_MS: `${quota.windowMs}`,
      UPSTREAM_TRAVEL_MS: `${quota.travelMs}`,
    };
    const web = new Process(programs.web.path, env);
    processes.push(web);
    for (let i = 0; i < workers; i += 1) processes.push(new Process(programs.worker.path, env));
    const url = /http:\S+/.exec(await web.line('listens'))?.[0] ?? '';
    await Promise.all(processes.slice(1).map((worker) => worker.line('is ready')));

    const jobs: string[] = [];
    for (let i = 0; i < messages; i += 1) jobs.push(await post(`${url}/messages`, { to: 'ann', text: `message ${i}` }));
    while (deliveredIn(upstream.record) < messages) await sleep(20);
    const paused = await Promise.any(processes.slice(1).map((worker) => worker.line('a pause of')));
    const states = [await stateOf(url, jobs[0]), await stateOf(url, jobs.at(-1))];
    const exitCodes = await Promise.all(processes.map((running) => running.stop()));
    return { record: upstream.record, pausedAtMs: Date.parse(paused.split(' ')[0] ?? ''), states, exitCodes };
  } finally {
    for (const running of processes) running.kill();
    upstream.server.close();
    upstream.server.closeAllConnections();
    programs.web.remove();
    programs.worker.remove();
    await redis.stop();
  }
}

function programOf(main: string): Promise<TestProgram> {
  try {
    require.resolve('bullmq');
  } catch {
    throw new Error('This test needs the package bullmq, which is not installed: run npm ci');
  }
  return TestProgram.build(join(__dirname, `../src/${main}.ts`));
}

const deliveredIn = (record: readonly Arrival[]): number => record.filter(({ status }) => status === 200).length;

/** Posts a message; returns the path of its state. */
async function post(url: string, message: object): Promise<string> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(message) });
  if (response.status !== 202) throw new Error(`The web process answered ${response.status}`);
  return ((await response.json()) as { state: string }).state;
}

/** The state of a job as soon as it is at rest: the upstream has the message a little earlier. */
async function stateOf(url: string, path: string | undefined): Promise<string> {
  for (;;) {
    const { state } = (await (await fetch(`${url}${path}`)).json()) as { state: string };
    if (state !== 'active') return state;
    await sleep(20);
  }
}

/** A process of the example, whose lines can be waited for. */
class Process {
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  #watchers: (() => void)[] = [];

  constructor(path: string, env: NodeJS.ProcessEnv) {
    this.#child = spawn(process.execPath, [path], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child.once('exit', () => this.#notify());
    createInterface(this.#child.stdout as NodeJS.ReadableStream).on('line', (line) => {
      this.#lines.push(line);
      this.#notify();
    });
  }

  /** Resolves with the first line that contains a text. */
  async line(text: string): Promise<string> {
    for (;;) {
      const line = this.#lines.find((line) => line.includes(text));
      if (line !== undefined) return line;
      if (this.#child.exitCode !== null) throw new Error(`A process has ended before it printed ${text}`);
      await new Promise<void>((resolve) => this.#watchers.push(resolve));
    }
  }

  /** Asks it to end; resolves with its exit code. */
  async stop(): Promise<number | null> {
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const [code] = (await exited) as [number | null];
    return code;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #notify(): void {
    for (const resolve of this.#watchers.splice(0)) resolve();
  }
}

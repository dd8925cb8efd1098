import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestProgram } from '@sluice/test-kit/test-program';
import { until } from '@sluice/test-kit/until';
import { type Orders, PLACES } from './orders.js';

/** What one process admitted: decided at some time between these. */
interface Admission {
  readonly key: number;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly isLocal: boolean;
}

export const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Several processes that spend all there is, and what becomes of them. */
export class ProcessGroup {
  readonly #program: TestProgram;
  readonly #orders: Orders;
  readonly #random: () => number;
  readonly #admissions: Admission[] = [];
  #holders: ChildProcess[] = [];
  /** How many there ever were. */
  started = 0;

  constructor(program: TestProgram, orders: Orders, random: () => number) {
    this.#program = program;
    this.#orders = orders;
    this.#random = random;
  }

  get admitted(): number {
    return this.#admissions.length;
  }

  get locally(): number {
    return this.#admissions.filter(({ isLocal }) => isLocal).length;
  }

  start(): void {
    this.started += 1;
    const args = [this.#program.path, JSON.stringify(this.#orders)];
    const holder = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let rest = Buffer.alloc(0);
    holder.stdout?.on('data', (data: Buffer) => {
      rest = this.#read(Buffer.concat([rest, data]));
    });
    this.#holders.push(holder);
  }

  /** Pauses one for some time, so that what it holds is over when it goes on. */
  async pauseOne(ms: number): Promise<void> {
    const holder = this.#any();
    holder.kill('SIGSTOP');
    await after(ms);
    holder.kill('SIGCONT');
  }

  /** Kills one with what it holds, and has another take its place. */
  async replaceOne(): Promise<void> {
    const holder = this.#any();
    this.#holders = this.#holders.filter((other) => other !== holder);
    await kill(holder);
    this.start();
  }

  /** Pauses and, if they may be replaced, kills, at random. */
  async disturb(forMs: number, mayKill: boolean): Promise<void> {
    const endMs = performance.now() + forMs;
    while (performance.now() < endMs) {
      await after(this.#random() * 200);
      if (mayKill && this.#random() < 0.3) await this.replaceOne();
      else await this.pauseOne(this.#random() * 500);
    }
  }

  until(isSo: () => boolean): Promise<void> {
    return until(isSo, 5);
  }

  async end(): Promise<void> {
    await Promise.all(this.#holders.map(kill));
  }

  /** The most that was admitted for sure, for any one of these keys, in any window of this length. */
  most(windowMs: number, keys: readonly number[] = this.#orders.keys.map((_, i) => i)): number {
    return Math.max(
      ...keys.map((key) =>
        mostIn(
          this.#admissions.filter((admission) => admission.key === key),
          windowMs,
        ),
      ),
    );
  }

  #any(): ChildProcess {
    return this.#holders[Math.floor(this.#random() * this.#holders.length)] as ChildProcess;
  }

  /** Returns what is not a whole record yet. */
  #read(data: Buffer): Buffer<ArrayBuffer> {
    const bytes = 8 * PLACES;
    const whole = data.length - (data.length % bytes);
    for (let at = 0; at < whole; at += bytes) {
      this.#admissions.push({
        key: data.readDoubleLE(at),
        fromMs: data.readDoubleLE(at + 8),
        untilMs: data.readDoubleLE(at + 16),
        isLocal: data.readDoubleLE(at + 24) === 1,
      });
    }
    return Buffer.from(data.subarray(whole));
  }
}

/** Also what it had written and nobody has read yet. */
async function kill(holder: ChildProcess): Promise<void> {
  const closed = once(holder, 'close');
  holder.kill('SIGKILL');
  await closed;
}

/** For each beginning of a decision, those that were over within the window less those that began before it. */
function mostIn(admissions: readonly Admission[], windowMs: number): number {
  const from = admissions.map(({ fromMs }) => fromMs).sort((a, b) => a - b);
  const until = admissions.map(({ untilMs }) => untilMs).sort((a, b) => a - b);
  let most = 0;
  let over = 0;
  from.forEach((startMs, before) => {
    while (over < until.length && (until[over] as number) < startMs + windowMs) over += 1;
    most = Math.max(most, over - before);
  });
  return most;
}

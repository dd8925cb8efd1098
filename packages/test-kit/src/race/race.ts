import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { TestProgram } from '../test-program.js';
import type { Finish, Heat } from './racer.js';

/** Several processes that ask at the same time. */
export class Race {
  readonly #program: TestProgram;
  readonly #racers: readonly ChildProcess[];

  private constructor(program: TestProgram, racers: readonly ChildProcess[]) {
    this.#program = program;
    this.#racers = racers;
  }

  /** @param racer - the path of each process's program, which finds its number in `SLUICE_RACER`. */
  static async of(processes: number, racer: string, args: readonly string[]): Promise<Race> {
    const program = await TestProgram.build(racer);
    const racers = Array.from({ length: processes }, (_, i) =>
      fork(program.path, args, { execArgv: [], env: { ...process.env, SLUICE_RACER: `${i}` } }),
    );
    await Promise.all(racers.map((racer) => once(racer, 'message')));
    return new Race(program, racers);
  }

  async run(heat: Heat): Promise<Finish[]> {
    const finished = this.#racers.map((racer) => once(racer, 'message') as Promise<[Finish]>);
    for (const racer of this.#racers) racer.send(heat);
    return (await Promise.all(finished)).map(([finish]) => finish);
  }

  async end(): Promise<void> {
    const exits = this.#racers.map((racer) => once(racer, 'exit'));
    for (const racer of this.#racers) racer.disconnect();
    await Promise.all(exits);
    this.#program.remove();
  }
}

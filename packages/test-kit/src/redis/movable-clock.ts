import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where `movable-clock.c` finds a number of a test. */
const [STANDS_AT, AHEAD_AT] = [0, 8];

/**
 * The time of day of one server of the tests, for `RedisServer.start(options, clock)`: what its `TIME` says, and what its
 * keys' times to live run on. It is moved while the server runs. The server must be a program of this machine, and this a
 * Linux with a C compiler.
 */
export class MovableClock {
  /** What the server's process has to be given. */
  readonly env: Readonly<Record<string, string>>;
  readonly #folder = mkdtempSync(join(tmpdir(), 'sluice-clock-'));
  readonly #file: number;

  /** @throws Error with the command that helps, where there is no C compiler */
  constructor() {
    const library = join(this.#folder, 'clock.so');
    const file = join(this.#folder, 'clock');
    compile(join(__dirname, 'movable-clock.c'), library);
    this.#file = openSync(file, 'w');
    this.env = { LD_PRELOAD: library, SLUICE_TEST_CLOCK: file };
    this.runAhead(0);
    this.#write(STANDS_AT, 0);
  }

  /** Runs, ahead of the machine's time by so much; behind it, if that is negative. */
  runAhead(ms: number): void {
    this.#write(AHEAD_AT, ms);
    this.#write(STANDS_AT, 0);
  }

  /** Stands at a time, until it is moved again. */
  standAt(ms: number): void {
    this.#write(STANDS_AT, ms);
  }

  /** To be called when its server has stopped. */
  remove(): void {
    closeSync(this.#file);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #write(position: number, ms: number): void {
    const number = Buffer.alloc(8);
    number.writeBigInt64LE(BigInt(Math.floor(ms)) * 1000n);
    writeSync(this.#file, number, 0, number.length, position);
  }
}

function compile(source: string, library: string): void {
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source], { stdio: 'pipe' });
  } catch (cause) {
    throw new Error(
      'A movable clock needs Linux and a C compiler. This installs it: sudo apt-get install gcc libc6-dev',
      {
        cause,
      },
    );
  }
}

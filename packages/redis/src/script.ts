// Why it is so: core/docs/why/calls-to-redis.md

import { createHash } from 'node:crypto';
import { type Clock, type LimitCheck, systemClock } from '@sluice/core';
import { type Algorithm, DEFINITIONS, type sharingOf, spreadOf } from '@sluice/core/store';
import { COMMANDS, KERNELS, NUMERIC_FUNCTIONS, PARTS } from './generated/scripts.js';
import type { Argument, RedisDriver } from './redis-driver.js';
import { scriptedLimit } from './scripted-limit.js';

type Command = keyof typeof COMMANDS;
type Part = keyof typeof PARTS;
type NumericFunction = { readonly part: Part; readonly decide: string; readonly algorithmCode: number };

/** The parts of a script that count by an algorithm. An algorithm without a Lua file does not compile. */
const KERNEL_PARTS: Readonly<Record<Algorithm, readonly Part[]>> = KERNELS;

/** So many instances find a server without a script at the same time in a millisecond: a server compiles one in less. */
const INSTANCES_A_MS = 10;

/** A decision has time for two more round trips after it, also where it may not take long: then it is this part of that time at most. */
const MOST_SPREAD_MS = 20;
const MOST_SPREAD = 0.4;

/** Who uses a server together, and how long a decision may take. */
export type Sharing = ReturnType<typeof sharingOf> & { readonly timeoutMs: number };

/** Returns the algorithms of these checks as one number. */
export function algorithmMaskOf(checks: readonly LimitCheck[]): number {
  let all = 0;
  for (const { limit } of checks) all |= scriptedLimit(limit).algorithmBit;
  return all;
}

/**
 * A command that has one script for each set of algorithms in its calls. A call runs its script from the first line, so
 * each algorithm in the script costs time, even if no check uses it.
 */
export class CommandScripts {
  readonly #driver: RedisDriver;
  readonly #command: Command;
  readonly #clock: Clock | undefined;
  /** How long an instance waits for another one to send a script to a server that has forgotten it. */
  readonly #waitMs: () => number;
  /** By the algorithms. */
  readonly #scripts: (Script | undefined)[] = [];

  /**
   * @param clock - undefined for the server's time
   * @param sharing - how many processes use the server
   */
  constructor(driver: RedisDriver, command: Command, clock: Clock | undefined, sharing: Sharing) {
    this.#driver = driver;
    this.#command = command;
    this.#clock = clock;
    const { instances, timeoutMs } = sharing;
    const mostMs = Math.floor(Math.min(MOST_SPREAD_MS, MOST_SPREAD * timeoutMs, instances / INSTANCES_A_MS));
    const spread = spreadOf(sharing);
    this.#waitMs = () => Math.floor((mostMs + 1) * spread());
  }

  /**
   * Returns the script for a call.
   *
   * @param algorithmMask - the algorithms of the call, from `algorithmMaskOf`
   */
  of(algorithmMask: number): Script {
    return this.#scripts[algorithmMask] ?? this.#newScript(algorithmMask);
  }

  /**
   * Sends a script with a call about no key, so that the server has it before it is needed. Returns the reply, or those of
   * all masters of a cluster.
   */
  load(algorithmMask: number, args: readonly Argument[]): Promise<readonly unknown[]> {
    const script = this.of(algorithmMask);
    // A call without checks needs no algorithm, so any script will do.
    this.#scripts[0] = script;
    return script.load(args);
  }

  #newScript(algorithmMask: number): Script {
    const source = sourceOf(this.#command, algorithmMask, this.#clock !== undefined);
    const isPacked = PACKED.includes(this.#command);
    const isText = isPacked && this.#driver.returnsText === true;
    const form = { isPacked, isText, clock: this.#clock, waitMs: this.#waitMs };
    const script = new Script(this.#driver, isText ? textual(source) : source, form);
    this.#scripts[algorithmMask] = script;
    return script;
  }
}

/** The commands whose replies are strings of numbers: see `lua/reply.lua`. */
const PACKED: readonly Command[] = ['consume', 'adjust'];

function sourceOf(command: Command, algorithmMask: number, isClocked: boolean): string {
  const algorithms = DEFINITIONS.filter((_, i) => algorithmMask & (1 << i)).map(({ algorithm }) => algorithm);
  const kernels = new Set(algorithms.flatMap((algorithm) => KERNEL_PARTS[algorithm]));
  return COMMANDS[command]
    .flatMap((part) => {
      if (part === 'TIME') return isClocked ? PARTS.clock : PARTS.time;
      if (part === 'NUMERIC_FUNCTIONS') return numericFunctionsSource(algorithms);
      if (part === 'KERNELS') return [...kernels].map((kernel) => PARTS[kernel]);
      return PARTS[part];
    })
    .join('\n');
}

/** The numeric functions of these algorithms, and `decide` or `decides`, by which `lua/numeric-path.lua` finds them. */
function numericFunctionsSource(algorithms: readonly Algorithm[]): string[] {
  const functions = new Map<string, NumericFunction>();
  for (const algorithm of algorithms) {
    const numeric = (NUMERIC_FUNCTIONS as Partial<Record<Algorithm, NumericFunction>>)[algorithm];
    if (numeric) functions.set(numeric.part, numeric);
  }
  const all = [...functions.values()];
  const byAlgorithmCode = all.map(({ algorithmCode, decide }) => `[${algorithmCode}]=${decide}`);
  const found = all.length > 1 ? `nil, {${byAlgorithmCode.join()}}` : (all[0]?.decide ?? 'nil');
  return [...all.map(({ part }) => PARTS[part]), `local decide, decides = ${found}`];
}

/** How a script is called, and replies. */
interface CallForm {
  /** Whether the reply is a string of bytes. */
  readonly isPacked: boolean;
  /** Whether it comes as text, see `textual`. */
  readonly isText: boolean;
  /** Undefined for the server's time. */
  readonly clock: Clock | undefined;
  /** How long to wait for another instance to send the script to a server that has forgotten it. */
  readonly waitMs: () => number;
}

/** A Lua script that is sent to a server once, and is then called by its hash. */
class Script {
  readonly #driver: RedisDriver;
  readonly #source: string;
  readonly #sha: string;
  readonly #isPacked: boolean;
  readonly #isText: boolean;
  readonly #clock: Clock | undefined;
  readonly #waitMs: () => number;
  #isSent = false;
  /** Whether a server has had it. */
  #wasThere = false;
  /** The call that sends the script to a server that has forgotten it. Other calls wait for it. */
  #loading: Promise<unknown> | undefined;

  constructor(driver: RedisDriver, source: string, { isPacked, isText, clock, waitMs }: CallForm) {
    this.#driver = driver;
    this.#source = source;
    this.#sha = createHash('sha1').update(source).digest('hex');
    this.#isPacked = isPacked;
    this.#isText = isText;
    this.#clock = clock;
    this.#waitMs = waitMs;
  }

  /**
   * Sends the source with a call about no key, to each primary of a cluster. A single server that had the script before is asked by its
   * hash first: most connections break while the server stays, and a fleet would send it all sources at once.
   */
  async load(args: readonly Argument[]): Promise<readonly unknown[]> {
    if (this.#driver.isCluster) return this.#loadInCluster(args);
    // On one connection, later calls arrive after this one.
    this.#isSent = true;
    const answer = this.#wasThere ? await this.run([], args) : await this.#runSource([], args);
    this.#wasThere = true;
    return [this.#isText ? bytesOf(answer) : answer];
  }

  async #loadInCluster(args: readonly Argument[]): Promise<readonly unknown[]> {
    const answers = (await this.#driver.runOnPrimaries?.(this.#source, this.#timed(args), this.#isPacked)) ?? [];
    this.#isSent ||= answers.length > 0;
    return this.#isText ? answers.map(bytesOf) : answers;
  }

  /** Calls the script, and resolves with the reply. */
  run(keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    return new Promise((resolve, reject) => this.send(keys, args, resolve, reject));
  }

  /** Like `run`. Calls one of the two functions with the reply or the error: a promise that it returned would be one more. */
  send(
    keys: readonly string[],
    args: readonly Argument[],
    replied: (reply: unknown) => void,
    failed: (error: unknown) => void,
  ): void {
    const timed = this.#clock ? this.#timed(args) : args;
    // The first call sends the source, so that calls after it do not arrive before the script.
    const isSent = this.#isSent;
    this.#isSent = true;
    const reply = isSent
      ? this.#driver.runScript('evalsha', this.#sha, keys, timed, this.#isPacked)
      : this.#driver.runScript('eval', this.#source, keys, timed, this.#isPacked);
    const give = this.#isText ? readingText(replied) : replied;
    reply.then(give, (error) => {
      if (isSent && isForgotten(error)) this.#reload(keys, args).then(give, failed);
      else failed(error);
    });
  }

  /**
   * Runs after a restart or SCRIPT FLUSH. The first caller sends the source with its own call, if no other instance has done so in a
   * moment; the others wait for it and call again. In a cluster that call may have gone to another node, which may hang, so nobody waits.
   */
  async #reload(keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    if (this.#driver.isCluster) return this.#runSource(keys, args);
    if (this.#loading) {
      await this.#loading.catch(() => {});
      try {
        return await this.#driver.runScript('evalsha', this.#sha, keys, this.#timed(args), this.#isPacked);
      } catch (error) {
        // Forgotten once more.
        if (!isForgotten(error)) throw error;
        return this.#runSource(keys, args);
      }
    }
    this.#loading = this.#loadAgain(keys, args);
    try {
      return await this.#loading;
    } finally {
      this.#loading = undefined;
    }
  }

  /** Of many instances that find a server without the script, a few send it before the others ask once more. */
  async #loadAgain(keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    const waitMs = this.#waitMs();
    if (waitMs > 0) {
      await systemClock.sleep(waitMs);
      try {
        return await this.#driver.runScript('evalsha', this.#sha, keys, this.#timed(args), this.#isPacked);
      } catch (error) {
        if (!isForgotten(error)) throw error;
      }
    }
    return this.#runSource(keys, args);
  }

  #runSource(keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    return this.#driver.runScript('eval', this.#source, keys, this.#timed(args), this.#isPacked);
  }

  /** Returns the arguments with the time of the clock, which is the last one, see `lua/clock.lua`. */
  #timed(args: readonly Argument[]): readonly Argument[] {
    return this.#clock ? [...args, this.#clock.now()] : args;
  }
}

/**
 * Returns a script whose reply is text: an `x`, and two hexadecimal digits for each byte. A client that reads JSON wherever it can
 * does not take it for a number.
 */
function textual(source: string): string {
  return `local function run()
${source}
end
return 'x' .. string.gsub(run(), '.', function(byte) return string.format('%02x', string.byte(byte)) end)`;
}

/** Reads the reply of such a script. */
function bytesOf(reply: unknown): unknown {
  return typeof reply === 'string' && reply.startsWith('x') ? Buffer.from(reply.slice(1), 'hex') : reply;
}

function readingText(replied: (reply: unknown) => void): (reply: unknown) => void {
  return (reply) => replied(bytesOf(reply));
}

function isForgotten(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}

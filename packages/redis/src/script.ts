// Why it is so: core/docs/why/calls-to-redis.md

import { createHash } from 'node:crypto';
import type { Clock, LimitCheck } from '@sluice/core';
import { type Algorithm, DEFINITIONS } from '@sluice/core/store';
import { COMMANDS, KERNELS, NUMERIC_FUNCTIONS, PARTS } from './generated/scripts.js';
import type { RedisClient } from './redis-client.js';
import { scriptedLimit } from './scripted-limit.js';

/** An argument of a script. */
export type Argument = string | number;

type Command = keyof typeof COMMANDS;
type Part = keyof typeof PARTS;
type NumericFunction = { readonly part: Part; readonly decide: string; readonly algorithmCode: number };

/** The parts of a script that count by an algorithm. An algorithm without a Lua file does not compile. */
const KERNEL_PARTS: Readonly<Record<Algorithm, readonly Part[]>> = KERNELS;

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
  readonly #client: RedisClient;
  readonly #command: Command;
  readonly #clock: Clock | undefined;
  /** By the algorithms. */
  readonly #scripts: (Script | undefined)[] = [];

  /** @param clock - undefined for the server's time */
  constructor(client: RedisClient, command: Command, clock: Clock | undefined) {
    this.#client = client;
    this.#command = command;
    this.#clock = clock;
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
    const script = new Script(this.#client, source, { clock: this.#clock, isPacked: PACKED.includes(this.#command) });
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

/** How a script is called. */
interface CallForm {
  /** Undefined for the server's time. */
  readonly clock: Clock | undefined;
  /** Whether the reply is a string of bytes. */
  readonly isPacked: boolean;
}

/** A Lua script that is sent to a server once, and is then called by its hash. */
class Script {
  readonly #client: RedisClient;
  readonly #source: string;
  readonly #sha: string;
  readonly #form: CallForm;
  #isSent = false;
  /** The call that sends the script to a server that has forgotten it. Other calls wait for it. */
  #loading: Promise<unknown> | undefined;

  constructor(client: RedisClient, source: string, form: CallForm) {
    this.#client = client;
    this.#source = source;
    this.#form = form;
    this.#sha = createHash('sha1').update(source).digest('hex');
  }

  /** Sends the source with a call about no key, to each master of a cluster. */
  async load(args: readonly Argument[]): Promise<readonly unknown[]> {
    const { isCluster } = this.#client;
    const servers = isCluster ? (this.#client.nodes?.('master') ?? []) : [this.#client];
    // On one connection, later calls arrive after this one.
    this.#isSent ||= !isCluster;
    const answers = await Promise.all(servers.map((server) => this.#call('eval', this.#source, [], args, server)));
    this.#isSent ||= answers.length > 0;
    return answers;
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
    // The first call sends the source, so that calls after it do not arrive before the script.
    const isSent = this.#isSent;
    this.#isSent = true;
    const reply = isSent ? this.#call('evalsha', this.#sha, keys, args) : this.#call('eval', this.#source, keys, args);
    reply.then(replied, (error) => {
      if (isSent && isForgotten(error)) this.#reload(keys, args).then(replied, failed);
      else failed(error);
    });
  }

  /**
   * Runs after a restart or SCRIPT FLUSH. The first caller sends the source with its own call; the others wait for it
   * and call again. In a cluster that call may have gone to another node, which may hang, so nobody waits.
   */
  async #reload(keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    if (this.#client.isCluster) return this.#call('eval', this.#source, keys, args);
    if (this.#loading) {
      await this.#loading.catch(() => {});
      try {
        return await this.#call('evalsha', this.#sha, keys, args);
      } catch (error) {
        // Forgotten once more.
        if (!isForgotten(error)) throw error;
        return this.#call('eval', this.#source, keys, args);
      }
    }
    this.#loading = this.#call('eval', this.#source, keys, args);
    try {
      return await this.#loading;
    } finally {
      this.#loading = undefined;
    }
  }

  /**
   * The time of a clock is the last argument, see `lua/clock.lua`. The command is in lower case: ioredis looks it up several times in
   * that form, which it otherwise has to make each time.
   */
  #call(
    command: 'eval' | 'evalsha',
    script: string,
    keys: readonly string[],
    args: readonly Argument[],
    server = this.#client,
  ): Promise<unknown> {
    const { clock, isPacked } = this.#form;
    const all = [script, keys.length, ...keys, ...args];
    if (clock) all.push(clock.now());
    if (!isPacked) return server.call(command, all);
    return server.options?.enableAutoPipelining
      ? callPastPipelines(server, command, all)
      : server.callBuffer(command, all);
  }
}

function isForgotten(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}

/**
 * Calls a command whose reply is bytes on a client that pipelines by itself: with such a client, ioredis loses the command of `callBuffer`.
 */
function callPastPipelines(client: RedisClient, command: string, args: (string | number)[]): Promise<unknown> {
  const own = client.createBuiltinCommand?.(command);
  if (!own) return client.callBuffer(command, args);
  return (own.buffer as (this: RedisClient, args: (string | number)[]) => Promise<unknown>).call(client, args);
}

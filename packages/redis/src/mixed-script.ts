import type { Check } from '@sluice/core';
import { BEGINNING, COMMANDS, KERNELS, PARTS } from './generated/scripts.js';
import type { RedisClient } from './redis-client.js';
import { type Argument, Script } from './script.js';

type Algorithm = keyof typeof KERNELS;
type Command = keyof typeof COMMANDS;

const ALGORITHMS = Object.keys(KERNELS) as Algorithm[];

/** Each algorithm is a bit of a number that stands for a mix of them. */
const BITS: Readonly<Record<string, number>> = Object.fromEntries(ALGORITHMS.map((name, i) => [name, 1 << i]));

/** The algorithms of these checks, as one number; `mix` is what it is added to. */
export function algorithmMaskOf(checks: readonly Check[], mix = 0): number {
  let all = mix;
  for (let i = 0; i < checks.length; i += 1) all |= BITS[(checks[i] as Check).limit.algorithm] as number;
  return all;
}

/**
 * A command in as many scripts as there are mixes of algorithms that are asked for: a call runs its script from the
 * first line, so each algorithm in it costs, also where it is not asked for.
 */
export class MixedScript {
  readonly #client: RedisClient;
  readonly #command: Command;
  readonly #scripts: (Script | undefined)[] = [];

  constructor(client: RedisClient, command: Command) {
    this.#client = client;
    this.#command = command;
  }

  /** @param mix - by `mixOf`: of which algorithms the call is */
  run(mix: number, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    let script = this.#scripts[mix];
    if (!script) {
      script = new Script(this.#client, sourceOf(this.#command, mix));
      this.#scripts[mix] = script;
    }
    return script.run(keys, args);
  }
}

function sourceOf(command: Command, mix: number): string {
  const kernels = ALGORITHMS.filter((_, i) => mix & (1 << i)).flatMap((name): readonly string[] => KERNELS[name]);
  const parts = [...BEGINNING, ...new Set(kernels), ...COMMANDS[command]] as (keyof typeof PARTS)[];
  return parts.map((part) => PARTS[part]).join('\n');
}

import type { Check } from '@sluice/core';
import { type Algorithm, DEFINITIONS } from '@sluice/core/store';
import { BEGINNING, COMMANDS, KERNELS, PARTS } from './generated/scripts.js';
import type { RedisClient } from './redis-client.js';
import { type Argument, Script } from './script.js';

type Command = keyof typeof COMMANDS;
type Part = keyof typeof PARTS;

/** By algorithm, the parts of a script that count by it. An algorithm without a Lua file does not compile. */
const KERNEL_PARTS: Readonly<Record<Algorithm, readonly Part[]>> = KERNELS;

/** Each algorithm is a bit of a mask. */
const BITS: Readonly<Record<string, number>> = Object.fromEntries(
  DEFINITIONS.map(({ algorithm }, i) => [algorithm, 1 << i]),
);

/** The algorithms of these checks as one number; `mask` is the number that they are added to. */
export function algorithmMaskOf(checks: readonly Check[], mask = 0): number {
  let all = mask;
  for (let i = 0; i < checks.length; i += 1) all |= BITS[(checks[i] as Check).limit.algorithm] ?? 0;
  return all;
}

/**
 * A command in as many scripts as there are sets of algorithms in its calls. A call runs its script from the first line,
 * so each algorithm in the script costs, even where no check uses it.
 */
export class MixedScript {
  readonly #client: RedisClient;
  readonly #command: Command;
  readonly #scripts: (Script | undefined)[] = [];

  constructor(client: RedisClient, command: Command) {
    this.#client = client;
    this.#command = command;
  }

  /** @param algorithmMask - by `algorithmMaskOf`: the algorithms of the call */
  run(algorithmMask: number, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    let script = this.#scripts[algorithmMask];
    if (!script) {
      script = new Script(this.#client, sourceOf(this.#command, algorithmMask));
      this.#scripts[algorithmMask] = script;
    }
    return script.run(keys, args);
  }
}

function sourceOf(command: Command, algorithmMask: number): string {
  const kernels = DEFINITIONS.filter((_, i) => algorithmMask & (1 << i)).flatMap(
    ({ algorithm }) => KERNEL_PARTS[algorithm],
  );
  const parts: readonly Part[] = [...BEGINNING, ...new Set(kernels), ...COMMANDS[command]];
  return parts.map((part) => PARTS[part]).join('\n');
}

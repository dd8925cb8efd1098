import type { Command } from 'commander';
import type { Io } from '../io.js';
import { keyText } from '../server/key-text.js';
import { adminClient, type ServerOptions, serverVerb } from '../server/server-verb.js';
import { wholeNumber } from '../server/whole-number.js';
import { printable } from '../terminal/printable.js';
import { table } from '../terminal/table.js';

interface Options extends ServerOptions {
  readonly count: number;
  readonly reveal?: true;
}

interface Answer {
  readonly refusals: number;
  readonly keys: readonly {
    readonly policy: string;
    readonly limit: string;
    readonly key: unknown;
    readonly refusals: number;
    readonly maxError: number;
  }[];
}

/** `sluice top`: who is refused most. */
export function addTop(program: Command, io: Io): void {
  serverVerb(program, 'top', 'list the keys that an instance has refused most since it started')
    .argument('[policy]', 'the name of a policy; default: all')
    .option('--count <number>', 'how many keys', wholeNumber(1000), 10)
    .option('--reveal', 'show the keys, and not only their hashes; it needs a write token')
    .action(async (policy: string | undefined, options: Options) => {
      const client = await adminClient(options, io);
      const input = { count: options.count, reveal: options.reveal === true, ...(policy !== undefined && { policy }) };
      const answer = await client.ask<Answer>('top', input);
      if (options.json) io.stdout.write(`${JSON.stringify(answer, undefined, 2)}\n`);
      else if (answer.keys.length > 0) io.stdout.write(`${printable(listText(answer))}\n`);
    });
}

/** A number of the sketch may be too large by its error. */
function listText({ keys }: Answer): string {
  const rows = keys.map(({ refusals, maxError, policy, limit, key }) => [
    maxError === 0 ? String(refusals) : `${refusals - maxError} to ${refusals}`,
    policy,
    limit,
    keyText(key),
  ]);
  return table([' refusals', 'policy', 'limit', 'key'], rows).join('\n');
}

import type { Command } from 'commander';
import type { Io } from '../io.js';
import type { ShownBlock } from '../server/block-text.js';
import { keyText } from '../server/key-text.js';
import { adminClient, type ServerOptions, serverVerb } from '../server/server-verb.js';
import { wholeNumber } from '../server/whole-number.js';
import { printable } from '../terminal/printable.js';
import { table } from '../terminal/table.js';

interface Options extends ServerOptions {
  readonly limit: number;
  readonly cursor?: string;
}

interface Answer {
  readonly blocked: readonly (ShownBlock & { readonly key: unknown })[];
  readonly cursor?: string;
}

/** `sluice blocked`: who is blocked. */
export function addBlocked(program: Command, io: Io): void {
  serverVerb(program, 'blocked', 'list who is blocked by a policy, in the order in which the blocks end')
    .argument('<policy>', 'the name of a policy')
    .option('--limit <number>', 'how many entries', wholeNumber(1000), 100)
    .option('--cursor <cursor>', 'go on behind the list before')
    .action(async (policy: string, options: Options) => {
      const { limit, cursor, json } = options;
      const client = await adminClient(options, io);
      const input = { policy, limit, ...(cursor !== undefined && { cursor }) };
      const answer = await client.ask<Answer>('blocked', input);
      if (json) io.stdout.write(`${JSON.stringify(answer, undefined, 2)}\n`);
      else if (answer.blocked.length > 0) io.stdout.write(`${printable(listText(answer))}\n`);
      if (answer.cursor !== undefined && !json) io.stderr.write(`There are more: add --cursor ${answer.cursor}\n`);
    });
}

function listText({ blocked }: Answer): string {
  const rows = blocked.map(({ key, until, by, strikes, reason = '' }) => [
    keyText(key),
    until,
    by,
    strikes === 0 ? '' : String(strikes),
    reason,
  ]);
  return table(['key', 'until', 'by', ' strikes', 'reason'], rows).join('\n');
}

import type { Command } from 'commander';
import type { Io } from '../io.js';
import { adminClient, type ServerOptions, serverVerb } from '../server/server-verb.js';
import { wholeNumber } from '../server/whole-number.js';
import { counted } from '../terminal/counted.js';
import { printable } from '../terminal/printable.js';
import { table } from '../terminal/table.js';

interface Options extends ServerOptions {
  readonly count: number;
}

/** A line of an administrator has an action, one about the policies an outcome and changes. */
interface AuditLine {
  readonly at: string;
  readonly by?: string;
  readonly action?: string;
  readonly reason?: string;
  readonly outcome?: string;
  readonly origin?: string;
  readonly revision?: string;
  readonly changes?: readonly unknown[];
  readonly [fact: string]: unknown;
}

/** `sluice audit`: who has changed what, and why. */
export function addAudit(program: Command, io: Io): void {
  serverVerb(program, 'audit', 'show who has changed what in an instance, and why')
    .option('--count <number>', 'how many lines, the newest ones', wholeNumber(1000), 100)
    .action(async (options: Options) => {
      const { lines } = await (await adminClient(options, io)).ask<{ lines: readonly AuditLine[] }>('audit', {
        count: options.count,
      });
      if (options.json) io.stdout.write(`${JSON.stringify({ lines }, undefined, 2)}\n`);
      else if (lines.length > 0) io.stdout.write(`${printable(listText(lines))}\n`);
    });
}

function listText(lines: readonly AuditLine[]): string {
  return table(
    ['at', 'by', 'what', 'reason'],
    lines.map((line) => [line.at, line.by ?? line.origin ?? '', whatOf(line), line.reason ?? '']),
  ).join('\n');
}

/** Everything that the other columns do not have. */
function whatOf({
  at,
  by,
  action,
  reason,
  outcome,
  origin,
  revision,
  previous,
  changes,
  mistakes,
  ...facts
}: AuditLine): string {
  if (action === undefined)
    return `policies ${outcome}: revision ${revision}, ${counted(changes?.length ?? 0, 'change')}`;
  const own = Object.entries(facts).map(([name, value]) => `${name}=${String(value)}`);
  return [action, ...own, ...(outcome === 'done' ? [] : [outcome])].join(' ');
}

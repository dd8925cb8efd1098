import { type Mistake, mistakeText } from '@sluice/config';
import type { Command } from 'commander';
import type { Io } from '../io.js';
import { withReason } from '../server/reason-option.js';
import { adminClient, type ServerOptions, serverVerb } from '../server/server-verb.js';
import { printable } from '../terminal/printable.js';

interface Options extends ServerOptions {
  readonly reason: string;
  readonly allowRemovals?: true;
}

interface Answer {
  readonly outcome: 'applied' | 'unchanged' | 'rejected';
  readonly revision: string;
  readonly mistakes?: readonly Mistake[];
}

/** `sluice reload`: lets an instance read its policies now. */
export function addReload(program: Command, io: Io): void {
  withReason(serverVerb(program, 'reload', 'let an instance read its policies now'))
    .option('--allow-removals', 'also take a file that lacks policies which decide now: they are unknown from then on')
    .action(async (options: Options) => {
      const { reason, allowRemovals } = options;
      const input = { reason, ...(allowRemovals && { allowRemovals }) };
      const answer = await (await adminClient(options, io)).ask<Answer>('reload', input);
      const { outcome, revision, mistakes = [] } = answer;
      if (options.json) io.stdout.write(`${JSON.stringify(answer, undefined, 2)}\n`);
      else {
        for (const mistake of mistakes) io.stdout.write(`${printable(mistakeText(mistake))}\n`);
        io.stdout.write(`${outcome}: revision ${printable(revision)} decides\n`);
      }
      if (outcome === 'rejected') io.exitCode = 1;
    });
}

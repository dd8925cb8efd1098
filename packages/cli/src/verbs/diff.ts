import { diffPolicyFiles, type PolicyChange, suspicionsOf } from '@sluice/config';
import type { Command } from 'commander';
import type { Io } from '../io.js';
import { readPolicies } from '../policy/read-policies.js';
import { riskOf } from '../policy/risk.js';
import { counted } from '../terminal/counted.js';
import { printable } from '../terminal/printable.js';
import { wrap } from '../terminal/wrap.js';

/** A change, and why somebody should look at it before it is applied. */
type JudgedChange = PolicyChange & { readonly risk: string | undefined };

/** `sluice diff`: what changes if a policy file takes the place of another one. */
export function addDiff(program: Command, io: Io): void {
  program
    .command('diff')
    .description('say in words what changes from one policy file to another, and what is forgotten')
    .argument('<old>', 'the policy file that decides now, or - for the standard input')
    .argument('<new>', 'the policy file that takes its place, or - for the standard input')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nIt ends with 1 if a change is a risk: it forgets what was spent, makes a number more than 10 times\nlarger or smaller, refuses fewer requests, or is one that the guard of a running service rejects.\n',
    )
    .action(async (oldPath: string, newPath: string, { json }: { json?: true }) => {
      const { file: old } = await readPolicies(oldPath, io);
      const { file: next } = await readPolicies(newPath, io);
      const found = diffPolicyFiles(old, next);
      const changes = found.map((change): JudgedChange => ({ ...change, risk: riskOf(change, found) }));
      const sentences = new Set(found.map(({ sentence }) => sentence));
      const suspicions = suspicionsOf(old, next, found).filter((sentence) => !sentences.has(sentence));
      if (json) io.stdout.write(`${JSON.stringify({ changes, suspicions }, undefined, 2)}\n`);
      else writeChanges([...changes, ...suspicions.map(rejected)], io);
      if (suspicions.length > 0 || changes.some(({ risk }) => risk !== undefined)) io.exitCode = 1;
    });
}

/** What no change shows by itself, such as a larger limit in a shorter window. */
const rejected = (sentence: string): Told => ({
  sentence,
  risk: 'the guard rejects this file unless it accepts the change',
});

type Told = Pick<JudgedChange, 'sentence' | 'risk'>;

function writeChanges(changes: readonly Told[], { stdout }: Io): void {
  const { colors, isTTY, columns } = stdout;
  for (const { sentence, risk } of changes) {
    const lines = isTTY ? wrap(printable(sentence), columns - 2) : [printable(sentence)];
    stdout.write(`${lines.join('\n  ')}\n`);
    if (risk !== undefined) stdout.write(`  ${colors.yellow('risk:')} ${printable(risk)}\n`);
  }
  if (!isTTY) return;
  const risks = changes.filter(({ risk }) => risk !== undefined).length;
  const summary = changes.length === 0 ? 'No difference' : counted(changes.length, 'difference');
  stdout.write(`${colors.dim(risks === 0 ? summary : `${summary}, ${counted(risks, 'risk')}`)}\n`);
}

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Command } from 'commander';
import type { Io } from '../io.js';

/** `sluice schema`: the JSON schema of policy files, for editors. */
export function addSchema(program: Command, io: Io): void {
  program
    .command('schema')
    .description('print the JSON schema of policy files, for editors')
    .option('--json', 'print JSON, as without this option')
    .action(async () => {
      const path = createRequire(import.meta.url).resolve('@sluice/config/policy.schema.json');
      io.stdout.write(await readFile(path, 'utf8'));
    });
}

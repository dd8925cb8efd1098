import { type Command, Option } from 'commander';
import { examine } from '../doctor/examine.js';
import { findingsText } from '../doctor/findings-text.js';
import { type FileUrl, type ServerUrl, storeUrl } from '../doctor/store-url.js';
import { usageError } from '../exit-code.js';
import { readInput } from '../input.js';
import type { Io } from '../io.js';
import { wholeNumber } from '../server/whole-number.js';

interface Options {
  readonly store: string;
  readonly prefix: string;
  readonly table: string;
  readonly timeout: number;
  readonly json?: true;
}

const HELP = `
Examples:
  sluice doctor --store redis://localhost:6379
  sluice doctor --store postgres://app@localhost/app --table limits.sluice
  sluice doctor --store sqlite:/var/lib/app/limits.db
  printenv REDIS_URL | sluice doctor --store -
`;

/** `sluice doctor`: whether a store can decide about limits, and what is wrong. It ends with 1 if it cannot. */
export function addDoctor(program: Command, io: Io): void {
  program
    .command('doctor')
    .description('connect to a store, decide a handful, measure, and say what is wrong')
    .requiredOption(
      '--store <url>',
      'redis://, rediss://, postgres:// or sqlite:<file>; - reads it from the standard input',
    )
    .addOption(
      new Option('--prefix <prefix>', 'for Redis: what keys begin with').argParser(prefixOf).default('sluice:'),
    )
    .addOption(
      new Option('--table <table>', 'for PostgreSQL and SQLite: the table').argParser(tableOf).default('sluice'),
    )
    .addOption(
      new Option('--timeout <ms>', 'how long the store has for an answer').argParser(wholeNumber(60_000)).default(5000),
    )
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async ({ store, prefix, table, timeout: timeoutMs, json }: Options, command: Command) => {
      // In the standard input, nobody else on the machine sees a password.
      const address = storeUrl(store === '-' ? await readInput(store, io) : store);
      refuseUnused(address, command);
      const findings = await examine(address, { prefix, table, timeoutMs });
      const isFine = findings.every(({ level }) => level !== 'fail');
      const { colors, columns, isTTY } = io.stdout;
      io.stdout.write(
        json
          ? `${JSON.stringify({ store: address.shown, fine: isFine, findings }, undefined, 2)}\n`
          : findingsText(findings, colors, isTTY ? columns : Number.POSITIVE_INFINITY),
      );
      if (!isFine) io.exitCode = 1;
    });
}

/** An option of another store would be ignored. */
function refuseUnused({ kind }: ServerUrl | FileUrl, command: Command): void {
  const unused = kind === 'redis' ? 'table' : 'prefix';
  if (command.getOptionValueSource(unused) !== 'cli') return;
  throw usageError(`--${unused} is for ${kind === 'redis' ? 'PostgreSQL and SQLite' : 'Redis'}: leave it out`);
}

/** The store allows 64 characters, of which the keys of the examination need 16. */
function prefixOf(text: string): string {
  if (text.length <= 48 && !/[\s{}]/.test(text)) return text;
  throw usageError('--prefix: Write at most 48 characters, without blanks and braces.');
}

function tableOf(text: string): string {
  const name = /^[a-z_][a-z0-9_]{0,49}$/;
  const parts = text.split('.');
  if (parts.length <= 2 && parts.every((part) => name.test(part))) return text;
  throw usageError(
    '--table: Write a table, or a schema and a table (limits.sluice), in lower-case letters, digits and _.',
  );
}

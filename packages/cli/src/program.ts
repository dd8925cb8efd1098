import { createRequire } from 'node:module';
import { SluiceError } from '@sluice/core';
import { Command, CommanderError } from 'commander';
import { CommandError, type ExitCode } from './exit-code.js';
import type { Io } from './io.js';
import { printable } from './terminal/printable.js';
import { addDoctor } from './verbs/doctor.js';
import { FILE_VERBS } from './verbs/file-verbs.js';
import { addReport } from './verbs/report.js';
import { SERVICE_VERBS } from './verbs/service-verbs.js';
import type { Verb } from './verbs/verb.js';

/** In the order of the help. */
const VERBS: Readonly<Record<string, readonly Verb[]>> = {
  'Verbs about files:': FILE_VERBS,
  'Verbs about a store:': [addDoctor],
  'Verbs about metrics:': [addReport],
  'Verbs about a running service:': SERVICE_VERBS,
};

const DESCRIPTION =
  'Checks, explains and tries policy files before they limit anybody, examines stores, reports service levels, and administers a decision service.';

const EXIT_CODES = `
Exit codes:
  0  fine
  1  findings: mistakes in a file, a difference that is a risk, a key that had nothing,
     a store that cannot decide, or a promise that was not kept
  2  the command line is wrong
  3  an input is missing, not readable or not valid, or a service cannot be asked
`;

/**
 * Runs the program with the arguments after its name. It never throws; the result is `io.exitCode`.
 *
 * @example await run(['validate', 'sluice.yaml'], ioOf(process));
 */
export async function run(args: readonly string[], io: Io): Promise<void> {
  try {
    await createProgram(io).parseAsync(args, { from: 'user' });
  } catch (error) {
    io.exitCode = exitCodeOf(error);
    // Commander has written its own.
    if (error instanceof CommanderError) return;
    io.stderr.write(`${io.stderr.colors.red('error:')} ${printable(messageOf(error))}\n`);
  }
}

export function createProgram(io: Io): Command {
  const program = new Command('sluice')
    .description(DESCRIPTION)
    .usage('<verb> [options]')
    .version(versionOf(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [verb]', 'print help for a verb')
    .addHelpText('after', EXIT_CODES)
    .exitOverride()
    .configureHelp({
      showGlobalOptions: false,
      styleTitle: io.stdout.colors.bold,
      styleSubcommandTerm: io.stdout.colors.cyan,
      styleOptionTerm: io.stdout.colors.cyan,
    })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error:/, io.stderr.colors.red('error:'))),
      getOutHelpWidth: () => io.stdout.columns,
      getErrHelpWidth: () => io.stderr.columns,
      getOutHasColors: () => io.stdout.colors.isColorSupported,
      getErrHasColors: () => io.stderr.colors.isColorSupported,
    });
  for (const [group, verbs] of Object.entries(VERBS)) {
    program.commandsGroup(group);
    for (const add of verbs) add(program, io);
  }
  return program;
}

/** The manifest is found by the package's own name, from its source and from its build. */
function versionOf(): string {
  const manifest = createRequire(import.meta.url)('@sluice/cli/package.json') as { readonly version: string };
  return manifest.version;
}

function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommandError) return error.exitCode;
  // Commander throws for `--help` and `--version`, too.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  return 3;
}

/** An error that nobody foresaw is shown with its place in the program. */
function messageOf(error: unknown): string {
  if (error instanceof CommandError || error instanceof SluiceError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

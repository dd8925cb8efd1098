import { createRequire } from 'node:module';
import { Command, CommanderError, Option } from 'commander';
import { FLAGS, type Flag, type FlagName, variableOf } from './flags.js';

/** The parts of a command line, unchecked. */
export interface CommandLine {
  /** Help or the version, if that was asked for. */
  readonly asked?: string;
  readonly files: readonly string[];
  /** The text of each flag; undefined where its value is missing. */
  readonly texts: ReadonlyMap<FlagName, string | undefined>;
  /** Flags that do not exist. */
  readonly unknown: readonly string[];
}

const DESCRIPTION =
  'Decides about rate limits for load balancers, and for services in any language, by the policies of one file. It follows the file while it runs: a changed limit needs no restart.';

/** Columns of a usual terminal. */
const HELP_WIDTH = 80;

const AFTER = `
Each flag can also be a variable: --grpc-port is SLUICE_GRPC_PORT, and the file
is SLUICE_FILE. A flag comes before its variable.

First steps:
  npx --no-install sluice init
      write sluice.yaml; it refuses nobody until you write enforcement: on
  npx --no-install sluice-server sluice.yaml
      start
  curl -i http://127.0.0.1:8080/v1/forward-auth/api

Signals:
  SIGTERM, SIGINT  drain, then end; a second one ends at once
  SIGHUP           read the policy file now

Exit codes:
  0  it has drained, or printed help or the version
  1  it could not start, or go on: a port is in use, for example
  2  a flag or a variable is wrong
  3  a file is missing, not readable or not valid
`;

/** Returns the text of a flag as help shows it: `--port <port>`. */
export function termOf({ flag, value }: Flag): string {
  return value === undefined ? flag : `${flag} <${value}>`;
}

/** Reads the arguments after the name of the program. It never throws, so that all mistakes can be told at once. */
export function readCommandLine(args: readonly string[]): CommandLine {
  let asked = '';
  const command = createCommand((text) => {
    asked += text;
  });
  try {
    command.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
    return { asked, files: [], texts: new Map(), unknown: [] };
  }
  const values = command.opts<Readonly<Record<string, string | true>>>();
  const texts = new Map<FlagName, string | undefined>();
  for (const [name, flag] of entries()) {
    const value = values[name];
    if (value === true) texts.set(name, 'value' in flag ? undefined : 'true');
    else if (value !== undefined) texts.set(name, value);
  }
  const isFlag = (arg: string): boolean => /^-./.test(arg);
  return {
    files: command.args.filter((arg) => !isFlag(arg)),
    texts,
    unknown: command.args.filter(isFlag),
  };
}

/** Values are optional for commander, which would stop at the first that is missing. */
function createCommand(write: (text: string) => void): Command {
  const command = new Command('sluice-server')
    .description(DESCRIPTION)
    .usage('[options] <file>')
    .argument('[file]', 'the policy file')
    .version(versionOf(), '--version', 'print the version')
    .helpOption('--help', 'print help')
    .addHelpText('after', AFTER)
    .allowUnknownOption()
    .allowExcessArguments()
    .exitOverride()
    .configureHelp({ optionTerm: ({ flags }) => flags.replace('[', '<').replace(']', '>') })
    .configureOutput({
      writeOut: write,
      writeErr: write,
      getOutHelpWidth: () => HELP_WIDTH,
      getOutHasColors: () => false,
    });
  for (const [, flag] of entries()) {
    const { about, group, standard } = flag;
    const option = new Option(termOf(flag).replace('<', '[').replace('>', ']'), about).helpGroup(group);
    // It is only shown: a value that nobody has given must stay unknown, because a variable may have it.
    if (standard !== undefined) option.description += ` (default: ${standard})`;
    command.addOption(option);
  }
  return command;
}

function entries(): readonly [FlagName, Flag][] {
  return Object.entries(FLAGS) as [FlagName, Flag][];
}

/** The manifest is found by the package's own name, from its source and from its build. */
export function versionOf(): string {
  const manifest = createRequire(import.meta.url)('@sluice/server/package.json') as { readonly version: string };
  return manifest.version;
}

/** Returns the flags with their variables, in the order of help: what docs/flags.md shows. */
export function documentedFlags(): readonly (Flag & { readonly variable: string })[] {
  return entries().map(([, flag]) => ({ ...flag, variable: variableOf(flag.flag) }));
}

import type { Mistake, PolicyCheck } from '@sluice/config';
import { readPolicyFile } from '@sluice/config';
import { type Command, Option } from 'commander';
import { CommandError } from '../exit-code.js';
import { nameOf, readInput } from '../input.js';
import type { Io } from '../io.js';
import { annotation } from '../policy/github-annotation.js';
import { mistakeLines } from '../policy/mistakes.js';
import { checkOf, type Program, programOption } from '../policy/program-check.js';
import { DEFAULT_FILE } from '../policy/read-policies.js';
import { counted } from '../terminal/counted.js';
import { printable } from '../terminal/printable.js';

/** What is known of one file. Exactly one of `contents`, `mistakes` and `error` is there. */
interface Checked {
  readonly file: string;
  readonly valid: boolean;
  /** What a valid file has. */
  readonly contents?: { readonly policies: number; readonly tiers: number; readonly customers: number };
  /** What is allowed in a valid file, and probably not meant; absent if there is nothing. */
  readonly warnings?: readonly Mistake[];
  readonly mistakes?: readonly Mistake[];
  /** Why the file cannot be read. */
  readonly error?: string;
}

interface Options {
  readonly format: keyof typeof FORMATS;
  readonly json?: true;
  readonly for?: Program;
}

/** `sluice validate`: every mistake of policy files, with its place and its cure. */
export function addValidate(program: Command, io: Io): void {
  program
    .command('validate')
    .description('show every mistake of policy files, with its line and what to write instead')
    .argument('[files...]', 'policy files, or - for the standard input', [DEFAULT_FILE])
    .addOption(
      new Option('--format <format>', 'how to print mistakes: github makes annotations of a pull request')
        .choices(['text', 'json', 'github'])
        .default('text'),
    )
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
    .addOption(programOption())
    .action(async (files: readonly string[], { format, json, for: program }: Options) => {
      const texts = new Map<string, string>();
      const checked: Checked[] = [];
      for (const file of files) checked.push(await check(file, io, texts, checkOf(program)));
      FORMATS[json ? 'json' : format](checked, texts, io);
      if (checked.some(({ error }) => error !== undefined)) io.exitCode = 3;
      else if (checked.some(({ valid }) => !valid)) io.exitCode = 1;
    });
}

async function check(
  path: string,
  io: Io,
  texts: Map<string, string>,
  check: { readonly check?: PolicyCheck },
): Promise<Checked> {
  const file = nameOf(path);
  try {
    const text = await readInput(path, io);
    texts.set(file, text);
    const { file: policies, warnings, mistakes } = readPolicyFile(text, { origin: file, ...check });
    if (mistakes) return { file, valid: false, mistakes };
    const contents = {
      policies: policies.policies.size,
      tiers: policies.tiers.size,
      customers: policies.customers.size,
    };
    return { file, valid: true, contents, ...(warnings.length > 0 && { warnings }) };
  } catch (error) {
    if (!(error instanceof CommandError) || error.exitCode === 2) throw error;
    return { file, valid: false, error: error.message };
  }
}

type Format = (checked: readonly Checked[], texts: ReadonlyMap<string, string>, io: Io) => void;

const FORMATS: Readonly<Record<'text' | 'json' | 'github', Format>> = {
  text(checked, texts, io) {
    for (const { file, contents, warnings = [], mistakes = [], error } of checked) {
      if (error !== undefined) writeError(error, io);
      for (const mistake of mistakes) {
        io.stdout.write(mistakeLines(mistake, texts.get(file) ?? '', io.stdout));
      }
      for (const warning of warnings) {
        io.stdout.write(mistakeLines(warning, texts.get(file) ?? '', io.stdout, 'warning'));
      }
      if (contents && io.stdout.isTTY) io.stdout.write(`${fineText(file, contents, io)}\n`);
    }
    const found = checked.reduce((sum, { mistakes = [] }) => sum + mistakes.length, 0);
    if (found > 0 && io.stdout.isTTY) io.stdout.write(`${io.stdout.colors.red(counted(found, 'mistake'))}\n`);
  },

  json(checked, _, io) {
    io.stdout.write(`${JSON.stringify({ files: checked }, undefined, 2)}\n`);
    for (const { error } of checked) if (error !== undefined) writeError(error, io);
  },

  github(checked, _, io) {
    for (const { warnings = [], mistakes = [], error } of checked) {
      for (const mistake of mistakes) io.stdout.write(`${annotation(mistake)}\n`);
      for (const warning of warnings) io.stdout.write(`${annotation(warning, 'warning')}\n`);
      if (error !== undefined) writeError(error, io);
    }
  },
};

function writeError(error: string, { stderr }: Io): void {
  stderr.write(`${stderr.colors.red('error:')} ${printable(error)}\n`);
}

function fineText(file: string, { policies, tiers, customers }: NonNullable<Checked['contents']>, io: Io): string {
  const parts = [counted(policies, 'policy'), counted(tiers, 'tier'), counted(customers, 'customer')];
  return `${io.stdout.colors.green('fine:')} ${printable(file)} ${io.stdout.colors.dim(`(${parts.join(', ')})`)}`;
}

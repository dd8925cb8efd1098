import { writeFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { unreadableError, usageError } from '../exit-code.js';
import { TEMPLATES, type Template } from '../init/templates.js';
import { reasonOf } from '../input.js';
import type { Io } from '../io.js';
import { DEFAULT_FILE } from '../policy/read-policies.js';

interface Options {
  readonly template: Template;
  readonly force?: true;
  readonly json?: true;
}

/** `sluice init`: writes a policy file to begin with. */
export function addInit(program: Command, io: Io): void {
  program
    .command('init')
    .description('write a policy file with comments to begin with')
    .argument('[file]', 'the file to write, or - for the standard output', DEFAULT_FILE)
    .addOption(
      new Option('--template <template>', 'what the file shows: limits by address, tiers of customers, or layers')
        .choices(Object.keys(TEMPLATES))
        .default('basic'),
    )
    .option('--force', 'overwrite a file that exists')
    .option('--json', 'print what was written as JSON')
    .action(async (path: string, { template, force, json }: Options) => {
      const text = TEMPLATES[template];
      if (path === '-') return io.stdout.write(text);
      await write(path, text, force === true);
      if (json) io.stdout.write(`${JSON.stringify({ file: path, template })}\n`);
      else if (io.stdout.isTTY)
        io.stdout.write(`${io.stdout.colors.green('wrote')} ${path}\nNext: npx --no-install sluice validate ${path}\n`);
    });
}

/** Whether a file exists is the file system's to say, in the same step as writing. */
async function write(path: string, text: string, overwrites: boolean): Promise<void> {
  try {
    await writeFile(path, text, { flag: overwrites ? 'w' : 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw usageError(`${path} exists already: name another file, or overwrite it with --force`);
    }
    throw unreadableError(`cannot write ${path}: ${reasonOf(error)}`, error);
  }
}

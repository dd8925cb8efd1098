import { fail } from './fail.js';
import type { HostProcess } from './host-process.js';
import { readCommandLine } from './options/command-line.js';
import { readOptions } from './options/read-options.js';
import { exitCodeOf } from './options/start-mistake.js';
import { policyMistakes } from './policy-mistakes.js';

/** Runs the program in a process, from its arguments to its end. */
export async function run(host: HostProcess): Promise<void> {
  const line = readCommandLine(host.argv.slice(2));
  if (line.asked !== undefined) {
    host.stdout.write(line.asked);
    return;
  }
  const { options, file, mistakes: wrongOptions } = await readOptions(line, host.env);
  const mistakes = [...wrongOptions, ...(file === undefined ? [] : await policyMistakes(file))];
  const messages = mistakes.map(({ message }) => message);
  if (mistakes.length > 0) return fail(host, exitCodeOf(mistakes), messages);
  if (!options) return;
  // Help and mistakes do not wait for what only serving needs.
  const { serve } = await import('./serve.js');
  await serve(host, options);
}

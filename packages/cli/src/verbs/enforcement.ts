import { Argument, type Command } from 'commander';
import { usageError } from '../exit-code.js';
import type { Io } from '../io.js';
import { adminClient, type ServerOptions, serverVerb } from '../server/server-verb.js';
import { printable } from '../terminal/printable.js';

interface Options extends ServerOptions {
  readonly for?: string;
  readonly reason?: string;
}

interface Answer {
  readonly mode: string;
  readonly by?: string;
  readonly until?: string;
  readonly reason?: string;
}

const EXAMPLES = `
Examples:
  sluice enforcement
  sluice enforcement shadow --for 1h --reason 'the limits refuse too much'
  sluice enforcement clear --reason 'the file is corrected'
`;

/** `sluice enforcement`: whether limits refuse, and the switch for it. */
export function addEnforcement(program: Command, io: Io): void {
  serverVerb(program, 'enforcement', 'show or change whether the limits of a service refuse')
    .addArgument(
      new Argument('[mode]', 'shadow only counts, off asks no limit, clear takes the change back').choices([
        'on',
        'shadow',
        'off',
        'clear',
      ]),
    )
    .option('--for <time>', 'how long: 15m, 1h, 7d at most')
    .option('--reason <text>', 'why, for the audit')
    .addHelpText('after', EXAMPLES)
    .action(async (mode: string | undefined, options: Options) => {
      const [verb, input] = callOf(mode, options);
      const answer = await (await adminClient(options, io)).ask<Answer>(verb, input);
      io.stdout.write(
        options.json ? `${JSON.stringify(answer, undefined, 2)}\n` : `${printable(answerText(answer))}\n`,
      );
      if (mode === undefined || mode === 'clear' || mode === answer.mode) return;
      io.stderr.write(`It is not ${mode}, because ${answer.by ?? 'the file'} comes first.\n`);
      io.exitCode = 1;
    });
}

function callOf(mode: string | undefined, { for: length, reason }: Options): [verb: string, input: object] {
  if (mode === undefined) {
    if ((length ?? reason) !== undefined)
      throw usageError('--for and --reason belong to a change: name on, shadow, off or clear');
    return ['enforcement', {}];
  }
  if (reason === undefined) throw usageError('say why, for the audit: --reason');
  if (mode === 'clear') {
    if (length !== undefined) throw usageError('clear holds until the next change: leave out --for');
    return ['enforcement/clear', { reason }];
  }
  if (length === undefined) throw usageError('say how long: --for 1h. After that, the file says again what holds');
  return ['enforcement/set', { mode, for: length, reason }];
}

function answerText({ mode, by, until, reason }: Answer): string {
  const who = by === undefined ? 'as the file says' : `set by ${by}`;
  const end = until === undefined ? '' : ` until ${until}`;
  return `${mode}, ${who}${end}${reason === undefined ? '' : `: ${reason}`}`;
}

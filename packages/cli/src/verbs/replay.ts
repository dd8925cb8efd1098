import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Io } from '../io.js';
import type { LineFormat } from '../log/line-format.js';
import { logFormat } from '../log/log-formats.js';
import { LogFormatError } from '../log/template.js';
import { checkOutput, writeOutput } from '../output-file.js';
import { type KeyMapping, readKeyMapping } from '../replay/key-source.js';
import { replayFiles } from '../replay/replay-files.js';
import { resultText } from '../replay/result-text.js';
import { timeOption } from '../time-option.js';

interface Options {
  readonly logFormat?: LineFormat;
  readonly key: readonly KeyMapping[];
  readonly against?: string;
  readonly sweep: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly maxKeys: number;
  readonly report?: string;
  readonly json?: true;
}

const HELP = `
Log formats:
  combined, common, vhost_combined, apache and json are found by their look. For any
  other format, pass the log_format of your nginx.conf. With $msec and $request_time
  in it, the times of requests are exact.

Examples:
  sluice replay sluice.yaml access.log access.log.1 access.log.2.gz
  sluice replay sluice.yaml access.log --log-format '$remote_addr $msec "$request" $status'
  sluice replay sluice.yaml access.log --key customer=remote_addr
  sluice replay new.yaml access.log --against old.yaml --sweep minute.limit=30..600
  sluice replay sluice.yaml access.log --report report.html
  journalctl -u api -o cat | sluice replay sluice.yaml - --log-format json
`;

/** `sluice replay`: what a policy file would have done to the requests of access logs. */
export function addReplay(program: Command, io: Io): void {
  program
    .command('replay')
    .description('tell what a policy file would have done to the requests of access logs')
    .argument('<file>', 'the policy file')
    .argument('<log...>', 'access logs, also packed with gzip; - for the standard input')
    .addOption(new Option('--log-format <format>', 'a name, or a log_format of nginx').argParser(readFormat))
    .addOption(
      new Option('--key <[name=]field>', 'the field of the log that is a key: remote_addr, header.x-api-key, user.id')
        .argParser((text, before: readonly KeyMapping[]) => [...before, readKeyMapping(text)])
        .default([], 'as the file says'),
    )
    .option('--against <old>', 'compare with another policy file')
    .addOption(
      new Option('--sweep <limit=range>', 'try other numbers: minute.limit=30..600, or free.minute.limit=30,60,90')
        .argParser((text, before: readonly string[]) => [...before, text])
        .default([], 'none'),
    )
    .addOption(
      new Option('--from <time>', 'only requests from this time on, in UTC: 2026-11-22, 2026-11-22T19:00')
        .argParser(timeOption)
        .default(Number.NEGATIVE_INFINITY, 'the first'),
    )
    .addOption(
      new Option('--to <time>', 'only requests before this time')
        .argParser(timeOption)
        .default(Number.POSITIVE_INFINITY, 'the last'),
    )
    .addOption(
      new Option('--max-keys <number>', 'how many keys are kept at the same time')
        .argParser(readMaxKeys)
        .default(4_000_000),
    )
    .option('--report <file>', 'write the result as a page with charts')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (path: string, logs: string[], options: Options) => {
      const { logFormat: format, key: mappings, against, sweep: sweeps, from: fromMs, to: toMs, maxKeys } = options;
      const request = { path, logs, format, mappings, against, sweeps, fromMs, toMs, maxKeys };
      if (options.report !== undefined) await checkOutput(options.report);
      const result = await replayFiles(request, io);
      if (options.report !== undefined) {
        const { renderReport } = await import('../report/render-report.js');
        await writeOutput(options.report, await renderReport(result));
      }
      const { colors, columns } = io.stdout;
      io.stdout.write(options.json ? `${JSON.stringify(result, null, 2)}\n` : resultText(result, colors, columns));
    });
}

function readFormat(text: string): LineFormat {
  try {
    return logFormat(text);
  } catch (error) {
    throw error instanceof LogFormatError ? new InvalidArgumentError(error.message) : error;
  }
}

function readMaxKeys(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= 16_000_000) return number;
  throw new InvalidArgumentError('It has to be a whole number from 1 to 16000000.');
}

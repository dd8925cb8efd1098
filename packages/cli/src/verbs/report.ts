import { type Command, InvalidArgumentError, Option } from 'commander';
import { unreadableError, usageError } from '../exit-code.js';
import type { Io } from '../io.js';
import { bearerToken } from '../server/server-token.js';
import { webAddress } from '../server/web-address.js';
import { levelsMarkdown, levelsText } from '../service-levels/levels-text.js';
import { lastMonth, type Month, monthTitle, readMonth } from '../service-levels/month.js';
import { PrometheusClient } from '../service-levels/prometheus.js';
import { brokenPromises } from '../service-levels/promises.js';
import { readServiceLevels } from '../service-levels/service-levels.js';
import { printable } from '../terminal/printable.js';

interface Options {
  readonly prometheus: URL;
  readonly month?: string;
  readonly job?: string;
  readonly fromCounters?: true;
  readonly maxLimited?: number;
  readonly maxFailedOpen?: number;
  readonly maxFailedClosed?: number;
  readonly tokenFile?: string;
  readonly markdown?: true;
  readonly json?: true;
}

const HELP = `
Examples:
  sluice report --prometheus http://localhost:9090
  sluice report --prometheus http://localhost:9090 --month 2026-10 --markdown > october.md
  sluice report --prometheus http://localhost:9090 --max-failed-open 0.1 --max-failed-closed 0.1
`;

/** `sluice report`: which share of a month's requests was limited, failed open and failed closed. It ends with 1 if a promise was not kept. */
export function addReport(program: Command, io: Io): void {
  program
    .command('report')
    .description('report which share of the requests of a month was limited, failed open and failed closed')
    .addOption(
      new Option('--prometheus <url>', 'the Prometheus that has the metrics')
        .argParser(webAddress('--prometheus', 'http://localhost:9090'))
        .makeOptionMandatory(),
    )
    .option('--month <month>', 'the month in UTC, as 2026-10; default: the last one that is over')
    .option('--job <name>', 'only the policies of this job; default: of all')
    .option('--from-counters', 'read the counters: slower, and without the recording rules of sluice.rules.yml')
    .addOption(new Option('--max-limited <percent>', 'what limits may refuse at most').argParser(readPercent))
    .addOption(new Option('--max-failed-open <percent>', 'what may pass uncounted at most').argParser(readPercent))
    .addOption(
      new Option('--max-failed-closed <percent>', 'what may be refused uncounted at most').argParser(readPercent),
    )
    .option('--token-file <file>', 'a file with a bearer token; default: the variable PROMETHEUS_TOKEN, or none')
    .option('--markdown', 'print Markdown')
    .addOption(new Option('--json', 'print JSON').conflicts('markdown'))
    .addHelpText('after', HELP)
    .action(async (options: Options) => {
      const month = monthOf(options, io.clock.now());
      const { job, fromCounters, prometheus, maxLimited, maxFailedOpen, maxFailedClosed } = options;
      const client = new PrometheusClient(prometheus, await bearerToken(options.tokenFile, 'PROMETHEUS_TOKEN', io));
      const levels = await readServiceLevels(client, { month, job, fromCounters });
      if (levels.policies.length === 0) throw nothingFound(month, options);
      const broken = brokenPromises(levels, {
        limited: maxLimited,
        failedOpen: maxFailedOpen,
        failedClosed: maxFailedClosed,
      });
      const textOf = options.markdown ? levelsMarkdown : levelsText;
      io.stdout.write(
        options.json
          ? `${JSON.stringify({ ...levels, broken }, undefined, 2)}\n`
          : `${printable(textOf(levels, month, broken))}\n`,
      );
      if (broken.length > 0) io.exitCode = 1;
    });
}

function monthOf({ month }: Options, nowMs: number): Month {
  if (month === undefined) return lastMonth(nowMs);
  const found = readMonth(month, nowMs);
  if (found) return found;
  throw usageError('--month: Write a month that has begun as 2026-10.');
}

function nothingFound(month: Month, { fromCounters, job }: Options): Error {
  const what = `no requests of ${job === undefined ? 'policies' : `the job ${job}`} in ${monthTitle(month)}`;
  return unreadableError(
    fromCounters
      ? `Prometheus has ${what}: does it keep its data for so long?`
      : `Prometheus has ${what}: does it keep its data for so long, with the recording rules of sluice.rules.yml? Without them, use --from-counters`,
  );
}

/** Reads a percentage as a share. */
function readPercent(text: string): number {
  const [, number] = /^(\d{1,3}(?:\.\d{1,6})?) ?%?$/.exec(text) ?? [];
  const percent = Number(number);
  if (number !== undefined && percent <= 100) return percent / 100;
  throw new InvalidArgumentError('Write a percentage from 0 to 100, as 0.1.');
}

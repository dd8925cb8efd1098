import { unreadableError } from '../exit-code.js';
import type { LineFormat, WantedFields } from '../log/line-format.js';
import { LineCounts, type LogCursor } from '../log/log-cursor.js';
import type { LoggedRequest } from '../log/logged-request.js';
import { mergeLogs } from '../log/merge-logs.js';
import { type OpenLog, openLog } from '../log/open-logs.js';
import { StartOrder } from '../log/start-order.js';
import { Replay, type ReplayNumbers } from './replay.js';
import type { ReplayResult } from './replay-result.js';
import type { ReplayedPolicy } from './replayed-policy.js';
import type { Sweep } from './sweep-counts.js';

/** How long a request may take and still be put where it began, and how long requests are held back in any case. */
const MOST_MS = 60_000;
const LEAST_MS = 10_000;

/** The same for lines that are in the order of their times: several processes write into one log, or logs are merged. */
const IN_ORDER_MS = 2000;

/** How many requests are held back at most. */
const MOST_HELD = 100_000;

/** What is asked of the policies before the logs are read. */
export interface PreparedPolicies {
  readonly policies: readonly ReplayedPolicy[];
  readonly against: readonly ReplayedPolicy[] | undefined;
  readonly sweeps: readonly Sweep[];
  readonly wanted: WantedFields;
}

/** Which logs are read, and how. */
interface LogOptions {
  readonly logs: readonly string[];
  /** Undefined if each log shows it. */
  readonly format: LineFormat | undefined;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  /** Only requests that began at this time or later, in Unix milliseconds. */
  readonly fromMs: number;
  /** Only requests that began before this time. */
  readonly toMs: number;
  readonly maxKeys: number;
}

/** What was read, and the numbers. */
export type ReplayedLogs = ReplayNumbers & Pick<ReplayResult, 'logs' | 'logFormat' | 'lines'>;

/**
 * Replays logs in one go. Nothing is kept of a request but what is counted.
 *
 * @param prepare - makes the policies for the formats that the logs have
 * @param notifyProgress - called again and again with the number of bytes that were read
 * @throws CommandError 3 if a log cannot be read, or has no line that can
 */
export async function replayLogs(
  options: LogOptions,
  prepare: (formats: readonly LineFormat[]) => PreparedPolicies,
  notifyProgress: (bytes: number) => void = () => {},
): Promise<ReplayedLogs> {
  const found = await Promise.allSettled(options.logs.map((log) => openLog(log, options.format, options.stdin)));
  const logs = found.flatMap((one) => (one.status === 'fulfilled' && one.value ? [one.value] : []));
  try {
    for (const one of found) if (one.status === 'rejected') throw one.reason;
    return await replayOpened(logs, options, prepare, notifyProgress);
  } finally {
    await Promise.all(logs.map((log) => log.close()));
  }
}

async function replayOpened(
  logs: readonly OpenLog[],
  options: LogOptions,
  prepare: (formats: readonly LineFormat[]) => PreparedPolicies,
  notifyProgress: (bytes: number) => void,
): Promise<ReplayedLogs> {
  const formats = [...new Set(logs.map(({ format }) => format))];
  const { wanted, ...policies } = prepare(formats);
  const counts = new LineCounts();
  const cursors = logs.map((log) => log.cursor(wanted, counts));
  for (const cursor of cursors) await cursor.advance();
  const firsts = cursors.flatMap(({ current }) => (current ? [current] : []));
  if (firsts.length === 0) throw nothingRead(options.logs, formats, counts);

  const leastMs = formats.some(({ statesStart }) => statesStart) ? LEAST_MS : IN_ORDER_MS;
  const beginAt = (second: number): Replay =>
    new Replay({
      ...policies,
      maxKeys: options.maxKeys,
      isCoarse: firsts.some(({ isExact }) => !isExact),
      startMs: second * 1000,
    });
  const { numbers, notReached, outside, late, misplaced } = await replayAll(beginAt, cursors, leastMs, options, () =>
    notifyProgress(bytesOf(logs)),
  );
  const { read, unparsed, firstUnparsed } = counts;
  return {
    ...numbers,
    logs: options.logs,
    logFormat: formats.map(({ name }) => name).join(', '),
    lines: { read, unparsed, firstUnparsed, notReached, outside, late, misplaced },
  };
}

/**
 * The replay begins at the first second that is visited, whose requests may stand anywhere in the logs: a log can be in reverse
 * order.
 */
async function replayAll(
  beginAt: (second: number) => Replay,
  cursors: readonly LogCursor[],
  leastMs: number,
  { fromMs, toMs }: LogOptions,
  pause: () => void,
) {
  let notReached = 0;
  let outside = 0;
  let replay: Replay | undefined;
  const order = new StartOrder({ leastMs, mostMs: MOST_MS, most: MOST_HELD }, (second, requests) => {
    replay ??= beginAt(second);
    replay.addSecond(second, requests);
  });
  const visit = (request: LoggedRequest): void => {
    if (!request.hasReached) notReached += 1;
    else if (request.atMs < fromMs || request.atMs >= toMs) outside += 1;
    else order.add(request);
  };
  try {
    await mergeLogs(cursors, visit, pause);
    order.end();
    replay ??= beginAt(0);
    const { late, misplaced } = order;
    return { numbers: replay.end(), notReached, outside, late, misplaced };
  } finally {
    replay?.close();
  }
}

/** How many bytes of all logs were read. */
function bytesOf(logs: readonly OpenLog[]): number {
  return logs.reduce((sum, { bytes }) => sum + bytes.read, 0);
}

function nothingRead(logs: readonly string[], formats: readonly LineFormat[], counts: LineCounts): Error {
  const [first] = counts.firstUnparsed;
  const names = formats.map(({ name }) => name).join(', ');
  if (!first) return unreadableError(`there is no line in ${logs.join(', ')}`);
  return unreadableError(
    `no line of ${logs.join(', ')} has the format ${names}. The first is:\n  ${first.text}\nPass the log_format of your nginx.conf as --log-format.`,
  );
}

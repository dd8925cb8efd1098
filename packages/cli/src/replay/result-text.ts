import type { Colors } from '../io.js';
import { count, counted } from '../terminal/counted.js';
import { printable } from '../terminal/printable.js';
import { table } from '../terminal/table.js';
import { wrap } from '../terminal/wrap.js';
import { minuteText, share, spanText } from './numbers.js';
import type { PolicyResult, Refused, ReplayResult, SweepResult } from './replay-result.js';
import { sparkline } from './sparkline.js';

/** How many keys are shown. The JSON has more. */
const SHOWN_KEYS = 5;

/** How many characters of a key are shown. */
const KEY_CHARACTERS = 40;

/** How wide the names before the numbers of the summary are. */
const LABEL_WIDTH = 17;

/** Writes a result for people. */
export function resultText(result: ReplayResult, colors: Colors, columns: number): string {
  const sections = [
    summary(result, colors),
    overTime(result, colors, columns),
    ...result.policies.map((policy) => policySection(policy, colors)),
    topKeys(result, colors),
    comparison(result, colors),
    ...result.sweeps.map((sweep) => sweepSection(sweep, colors)),
    notes(result, colors, columns),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function summary(result: ReplayResult, colors: Colors): string[] {
  const { requests, clients, refusedAnswers, worstMinute, logs } = result;
  if (requests.seen === 0) return [colors.bold(`${result.policyFile} on no request of ${logsText(logs)}`)];
  const from = `${minuteText(result.fromMs)} to ${minuteText(result.toMs)} UTC`;
  const refused = Math.max(...(requests.refusedRange ?? [requests.refused]));
  const rows: [string, string][] = [
    ['Refused', ofText(requests.refused, requests.seen, 'request')],
    ...rangeRow(requests),
    ['Clients touched', ofText(clients.refused, clients.seen, 'client')],
  ];
  if (refused > 0) {
    const { well } = refusedAnswers;
    rows.push([
      'Answered well',
      `${colors.yellow(count(well))} of ${counted(requests.refused, 'refused request')} (${share(well, requests.refused)})`,
    ]);
    rows.push([
      'Worst minute',
      `${minuteText(worstMinute.atMs)} UTC, ${count(worstMinute.refused)} of ${counted(worstMinute.requests, 'request')} refused`,
    ]);
  }
  return [
    colors.bold(`${result.policyFile} on ${counted(requests.seen, 'request')} of ${logsText(logs)}`),
    colors.dim(`${from}, ${spanText(result.toMs - result.fromMs)}, every limit enforced for everybody`),
    '',
    ...rows.map(([name, text]) => `  ${name.padEnd(LABEL_WIDTH)}${text}`),
  ];
}

function rangeRow({ refusedRange, seen }: Refused): [string, string][] {
  if (!refusedRange || refusedRange[0] === refusedRange[1]) return [];
  const [least, most] = refusedRange;
  return [['', `at least ${count(least)} (${share(least, seen)}), at most ${count(most)} (${share(most, seen)})`]];
}

function overTime({ timeline, timelineStepMs, requests }: ReplayResult, colors: Colors, columns: number): string[] {
  if (requests.refused === 0 || timeline.length < 3) return [];
  const width = Math.min(columns, 100) - LABEL_WIDTH - 2;
  const step = Math.max(1, Math.ceil(timeline.length / width)) * timelineStepMs;
  return [
    `  ${'Requests'.padEnd(LABEL_WIDTH)}${colors.dim(
      sparkline(
        timeline.map((point) => point.requests),
        width,
      ),
    )}`,
    `  ${'Refused'.padEnd(LABEL_WIDTH)}${colors.yellow(
      sparkline(
        timeline.map((point) => point.refused),
        width,
      ),
    )}`,
    colors.dim(`  ${''.padEnd(LABEL_WIDTH)}each column is ${spanText(step)}`),
  ];
}

function policySection({ policy, requests, keys, senders, limits }: PolicyResult, colors: Colors): string[] {
  const refused = `${ofText(requests.refused, requests.seen, 'request')} refused, ${ofText(keys.refused, keys.seen, 'key')} touched`;
  const quiet = limits.filter((limit) => limit.refused + limit.wouldRefuse === 0).map(nameOf);
  const loud = limits.filter((limit) => limit.refused + limit.wouldRefuse > 0);
  const rows = loud.map((part) => [
    nameOf(part),
    count(part.refused),
    share(part.refused, requests.seen),
    counted(part.keysRefused, 'key'),
    part.wouldRefuse === 0 ? '' : `would refuse ${count(part.wouldRefuse)} (shadow)`,
  ]);
  if (senders > 0) rows.push(['blocked or unknown', count(senders), share(senders, requests.seen), '', '']);
  const title = `${colors.bold(policy)}  ${refused}`;
  return [
    title,
    ...(rows.length === 0 ? [] : table(['limit', ' refused', ' ', ' keys', ''], rows).map(indented)),
    ...(quiet.length === 0 ? [] : [indented(`refused nobody: ${quiet.join(', ')}`)]),
  ];
}

function nameOf({ limit, tier }: PolicyResult['limits'][number]): string {
  return tier === '' ? limit : `${limit} (${tier})`;
}

function topKeys({ topKeys: keys, policies }: ReplayResult, colors: Colors): string[] {
  if (keys.length === 0) return [];
  const rows = keys
    .slice(0, SHOWN_KEYS)
    .map(({ key, policy, requests, refused }) => [
      printable(key.length > KEY_CHARACTERS ? `${key.slice(0, KEY_CHARACTERS - 1)}…` : key),
      ...(policies.length > 1 ? [policy] : []),
      count(refused),
      count(requests),
    ]);
  const head = ['key', ...(policies.length > 1 ? ['policy'] : []), ' refused', ' requests'];
  return [colors.bold('Most refused keys'), ...table(head, rows).map(indented)];
}

function comparison({ against, changes, requests }: ReplayResult, colors: Colors): string[] {
  if (against === undefined || changes === undefined) return [];
  const { newlyRefused, newlyAllowed } = changes;
  return [
    colors.bold(`Compared with ${against}`),
    `  ${ofText(newlyRefused, requests.seen, 'request')} newly refused`,
    `  ${ofText(newlyAllowed, requests.seen, 'request')} newly allowed`,
  ];
}

function sweepSection(sweep: SweepResult, colors: Colors): string[] {
  const { policy, limit, tier, current, points, knee, requests, keys } = sweep;
  const rows = points.map(({ quota, requestsRefused, keysRefused }) => [
    count(quota),
    count(requestsRefused),
    share(requestsRefused, requests),
    count(keysRefused),
    share(keysRefused, keys),
    quota === current ? '← in the file' : quota === knee ? '← knee' : '',
  ]);
  const head = [' limit', ' requests refused', ' ', ' keys touched', ' ', ''];
  const name = `${policy} ${limit}${tier === '' ? '' : ` (${tier})`}`;
  const found =
    knee === undefined
      ? 'None of these limits touches fewer than 0.1 % of keys.'
      : `${count(knee)} is the smallest of these limits that touches fewer than 0.1 % of keys.`;
  return [colors.bold(`Other numbers for ${name}`), ...table(head, rows).map(indented), `  ${found}`];
}

function notes(result: ReplayResult, colors: Colors, columns: number): string[] {
  const { lines, resolutionMs, unmatched, policies } = result;
  const { unparsed, read, firstUnparsed, notReached, outside, late, misplaced } = lines;
  const found = [...result.notes];
  if (resolutionMs >= 1000) {
    found.push(
      'The log has whole seconds, so the number of refused requests lies between two others. All other numbers are for requests spread evenly over their second. For exact numbers, log $msec and $request_time.',
    );
  }
  const forAll = policies.filter(({ isForAll }) => isForAll).map(({ policy }) => policy);
  if (policies.length > 1 && forAll.length > 0) {
    found.push(
      `Policies that were asked about every request, because the file has no match for them: ${forAll.join(', ')}. If your program asks one on some routes only, write its match: replay knows your routes by it alone.`,
    );
  }
  if (unmatched > 0) found.push(`${counted(unmatched, 'request')} had no policy, and passed.`);
  if (notReached > 0) {
    found.push(`${counted(notReached, 'line')} told of no request that reached the application, and were not counted.`);
  }
  if (outside > 0)
    found.push(`${counted(outside, 'request')} came before --from or after --to. They were not counted.`);
  if (late > 0) {
    found.push(
      `${counted(late, 'request')} took longer than a minute, or stood far from their place in the log. They were counted later than they came.`,
    );
  }
  if (misplaced > 0) {
    found.push(
      `${counted(misplaced, 'line')} were written more than a minute before one above them, and were not counted. Pass each file of a log by itself: replay puts them in order. Or sort the log by its times.`,
    );
  }
  const texts = found.flatMap((note) =>
    wrap(note, columns - 4).map((line, i) => (i === 0 ? `  - ${line}` : `    ${line}`)),
  );
  const broken = firstUnparsed.map(
    ({ log, line, text }) => `    ${log}:${line}: ${text.slice(0, Math.max(20, columns - 30))}`,
  );
  if (unparsed > 0) texts.push(`  - ${ofText(unparsed, read, 'line')} could not be read. The first:`, ...broken);
  return texts.length === 0 ? [] : [colors.bold('Notes'), ...texts];
}

function ofText(part: number, whole: number, noun: string): string {
  return `${count(part)} of ${counted(whole, noun)} (${share(part, whole)})`;
}

function logsText(logs: readonly string[]): string {
  const [first = ''] = logs;
  const name = first === '-' ? 'the standard input' : first;
  return logs.length > 1 ? `${logs.length} logs` : name;
}

const indented = (line: string): string => `  ${line}`;

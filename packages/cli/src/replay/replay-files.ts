import { stat } from 'node:fs/promises';
import type { PolicyFile } from '@sluice/config';
import { unreadableError } from '../exit-code.js';
import { nameOf, readTwice } from '../input.js';
import type { Io } from '../io.js';
import type { LineFormat } from '../log/line-format.js';
import { UnreadableLogError } from '../log/log-bytes.js';
import { readPolicies } from '../policy/read-policies.js';
import { startProgress } from '../progress.js';
import { counted } from '../terminal/counted.js';
import { type FilePolicies, filePolicies } from './file-policies.js';
import type { KeyMapping } from './key-source.js';
import { type PreparedPolicies, type ReplayedLogs, replayLogs } from './replay-logs.js';
import type { ReplayResult } from './replay-result.js';
import { prepareSweep } from './sweep.js';

/** What `sluice replay` is asked for. */
interface ReplayRequest {
  /** The path of the policy file, or `-`. */
  readonly path: string;
  readonly logs: readonly string[];
  /** Undefined if each log shows it. */
  readonly format: LineFormat | undefined;
  readonly mappings: readonly KeyMapping[];
  /** The path of the policy file to compare with. */
  readonly against: string | undefined;
  /** As on the command line: `minute.limit=30..600`. */
  readonly sweeps: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
  readonly maxKeys: number;
}

/**
 * Replays logs through policy files, and shows the progress.
 *
 * @throws CommandError 2 if the files and the logs do not fit together, 3 if one of them cannot be read
 */
export async function replayFiles(request: ReplayRequest, io: Io): Promise<ReplayResult> {
  const { path, logs, against } = request;
  const inputs = [path, ...(against === undefined ? [] : [against]), ...logs];
  if (inputs.filter((name) => name === '-').length > 1) throw readTwice();
  const { text, file } = await readPolicies(path, io);
  const old = against === undefined ? undefined : (await readPolicies(against, io)).file;
  const notes: string[] = [];
  const prepare = (formats: readonly LineFormat[]): PreparedPolicies => {
    const policiesOf = (variant: PolicyFile): FilePolicies => filePolicies(variant, { formats, ...request });
    const own = policiesOf(file);
    const other = old && policiesOf(old);
    notes.push(...own.notes);
    return {
      policies: own.policies,
      against: other?.policies,
      sweeps: request.sweeps.flatMap((spec) => prepareSweep(spec, text, (variant) => policiesOf(variant).policies)),
      wanted: { ...own.wanted, headers: [...new Set([...own.wanted.headers, ...(other?.wanted.headers ?? [])])] },
    };
  };
  const progress = startProgress(io, 'replay', await bytesOf(logs));
  try {
    const numbers = await replayLogs({ ...request, stdin: io.stdin }, prepare, progress.update);
    return resultOf(request, numbers, notes);
  } catch (error) {
    throw error instanceof UnreadableLogError ? unreadableError(error.message, error) : error;
  } finally {
    progress.end();
  }
}

/** How many bytes the logs have; undefined if one of them is the standard input or a pipe. */
async function bytesOf(logs: readonly string[]): Promise<number | undefined> {
  let sum = 0;
  for (const log of logs) {
    const found = log === '-' ? undefined : await stat(log).catch(() => undefined);
    if (!found?.isFile()) return undefined;
    sum += found.size;
  }
  return sum;
}

function resultOf(
  { path, against, maxKeys }: ReplayRequest,
  { evictedKeys, withoutKey, ...numbers }: ReplayedLogs,
  notes: readonly string[],
): ReplayResult {
  const further: string[] = [];
  if (evictedKeys > 0) {
    further.push(
      `${counted(evictedKeys, 'key')} did not fit into --max-keys ${maxKeys}, and began anew. The real numbers are higher.`,
    );
  }
  if (withoutKey > 0) {
    further.push(`${counted(withoutKey, 'request')} had neither a key nor an address. They were counted as one key.`);
  }
  return { version: 1, policyFile: nameOf(path), against, ...numbers, notes: [...notes, ...further] };
}

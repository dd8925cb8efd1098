import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { CommandError, messageOf } from './command-error.js';
import type { CampaignPlan, Totals } from './totals.js';

// A campaign that is run in pieces keeps what it has shown in a file. Each piece goes on after the last one.

/** What the file begins with. It tells the file of a campaign from any other one. */
const KIND = 'sluice-simulation-campaign';

interface PiecesFile {
  readonly kind: typeof KIND;
  readonly totals: Totals;
}

/**
 * Keeps other campaigns from using a file of pieces: each would overwrite what the other has shown. Returns what ends that; the end of
 * this process ends it, too.
 *
 * @throws CommandError if a campaign uses the file now
 */
export function lockPieces(file: string): () => void {
  const lock = `${file}.lock`;
  try {
    if (!isHeld(lock)) rmSync(lock, { force: true });
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
  } catch (error) {
    if (!existsSync(lock)) throw new CommandError(`${file} cannot be written: ${messageOf(error)}`);
    throw new CommandError(`A campaign that runs now uses ${file}. If none does, delete ${lock}.`);
  }
  const unlock = (): void => {
    process.off('exit', unlock);
    rmSync(lock, { force: true });
  };
  process.on('exit', unlock);
  return unlock;
}

/** Whether the process that holds a lock is there. One that was killed has left its lock. */
function isHeld(lock: string): boolean {
  if (!existsSync(lock)) return false;
  const holder = Number(readFileSync(lock, 'utf8'));
  // In a container, another process had this number before.
  if (!(holder > 0) || holder === process.pid) return false;
  try {
    process.kill(holder, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Reads what the earlier pieces of a campaign have shown; undefined if there is no such file.
 *
 * @throws CommandError if the file is another one
 */
export function readPieces(file: string): Totals | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const { kind, totals } = JSON.parse(readFileSync(file, 'utf8')) as Partial<PiecesFile>;
    if (kind === KIND && totals?.plan) return totals;
  } catch {
    // No file, or no JSON: something else.
  }
  throw new CommandError(`${file} is not the file of a campaign. It stays as it is: name another file with --pieces.`);
}

/**
 * Checks that a piece plays the tapes of its campaign.
 *
 * @throws CommandError if it would play others
 */
export function checkPlan(file: string, own: CampaignPlan, earlier: CampaignPlan): void {
  for (const name of ['from', 'faults', 'isWhole', 'codes'] as const) {
    if (own[name] === earlier[name]) continue;
    const options = { from: '--seeds', faults: '--faults', isWhole: '--whole', codes: '--beside' };
    throw new CommandError(
      `${file} is of a campaign with another ${options[name]}: ${name} ${earlier[name]}, not ${own[name]}. Name another file with --pieces.`,
    );
  }
}

/**
 * Writes totals so that a reader finds the old ones or the new ones, whenever this process ends.
 *
 * @throws CommandError if the file cannot be written
 */
export function writePieces(file: string, totals: Totals): void {
  const content: PiecesFile = { kind: KIND, totals };
  try {
    writeFileSync(`${file}.new`, `${JSON.stringify(content, undefined, 2)}\n`);
    renameSync(`${file}.new`, file);
  } catch (error) {
    throw new CommandError(`${file} cannot be written: ${messageOf(error)}`);
  }
}

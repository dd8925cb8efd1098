import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { CommandError } from './command-error.js';
import type { CampaignPlan, Totals } from './totals.js';

// A campaign that is run in pieces keeps what it has shown in a file. Each piece goes on after the last one.

/** What the file begins with. It tells the file of a campaign from any other one. */
const KIND = 'sluice-simulation-campaign';

interface PiecesFile {
  readonly kind: typeof KIND;
  readonly totals: Totals;
}

/**
 * Reads what the earlier pieces of a campaign have shown; undefined if there is no such file.
 *
 * @throws CommandError if the file is another one
 */
export function readPieces(file: string): Totals | undefined {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8');
  try {
    const { kind, totals } = JSON.parse(text) as Partial<PiecesFile>;
    if (kind === KIND && totals) return totals;
  } catch {
    // No JSON: another file.
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

/** Writes totals so that a reader finds the old ones or the new ones, whenever this process ends. */
export function writePieces(file: string, totals: Totals): void {
  const content: PiecesFile = { kind: KIND, totals };
  writeFileSync(`${file}.new`, `${JSON.stringify(content, undefined, 2)}\n`);
  renameSync(`${file}.new`, file);
}

import { wallClock } from '@sluice/core';
import { stopwatchMs } from '@sluice/core/values';
import type { Diagnosis } from './diagnosis.js';
import { msText } from './trial.js';

/** The shortest of so many round trips says the most. */
const SAMPLES = 5;

/** A difference that nobody sees in a limit, whose windows are seconds and longer. */
const TOLERATED_MS = 1000;

/**
 * Compares the clock of a server with that of this machine. The answer was made at some time of the round trip, so half of that is the error.
 *
 * @param ask - returns the server's time in milliseconds since 1970
 */
export async function compareClocks(diagnosis: Diagnosis, ask: () => Promise<number>): Promise<void> {
  let [differenceMs, errorMs] = [0, Number.POSITIVE_INFINITY];
  for (let i = 0; i < SAMPLES; i += 1) {
    const sentMs = stopwatchMs();
    const ownMs = wallClock.now();
    const serverMs = await ask();
    const halfMs = (stopwatchMs() - sentMs) / 2;
    if (halfMs < errorMs) [differenceMs, errorMs] = [serverMs - ownMs - halfMs, halfMs];
  }
  // The clock of this machine is read in whole milliseconds.
  errorMs += 1;
  const figures = { differenceMs: Math.round(differenceMs), errorMs: Math.round(errorMs * 10) / 10 };
  const size = Math.abs(differenceMs);
  const direction = differenceMs < 0 ? 'behind' : 'ahead of';
  const isSame = size <= errorMs;
  const text = isSame
    ? `The clocks of the server and of this machine agree, give or take ${msText(errorMs)}.`
    : `The clock of the server is ${msText(size)} ${direction} that of this machine, give or take ${msText(errorMs)}.`;
  if (size - errorMs <= TOLERATED_MS) diagnosis.ok('clock', text, figures);
  else
    diagnosis.warn(
      'clock',
      `${text} Limits run by the clock of the server, what is logged by that of this machine.`,
      'Let NTP set both clocks (chrony or systemd-timesyncd).',
      figures,
    );
}

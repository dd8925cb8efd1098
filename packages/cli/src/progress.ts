import cliProgress from 'cli-progress';
import type { Io, Output } from './io.js';

/** The progress of long work, counted in bytes. */
interface Progress {
  /** Tells how many bytes of the total are done. Call it as often as you like, but not for every line. */
  update(doneBytes: number): void;
  /** Ends it: the bar disappears from a terminal. Call it in every case, also if the work fails. */
  end(): void;
}

/** Work that takes less than this shows nothing on a terminal. */
const PATIENCE_MS = 300;
/** How often a line is written where there is no terminal. */
const LINE_MS = 5000;

/**
 * Shows the progress of long work on the standard error: a bar on a terminal, otherwise a line each 5 s. Both say the rate
 * and the time left.
 *
 * @param title - what is under way, in a word: `replay`
 * @param totalBytes - undefined if nobody knows: then there is neither a bar nor a time
 */
export function startProgress({ stderr, clock }: Io, title: string, totalBytes: number | undefined): Progress {
  const startMs = clock.now();
  const textAt = (doneBytes: number, nowMs: number): string =>
    `${title}  ${progressText(doneBytes, totalBytes, nowMs - startMs)}`;
  if (stderr.isTTY) {
    const bar = new Bar(stderr, totalBytes);
    return {
      update(doneBytes) {
        const nowMs = clock.now();
        if (nowMs - startMs >= PATIENCE_MS) bar.show(doneBytes, textAt(doneBytes, nowMs));
      },
      end: () => bar.end(),
    };
  }
  let shownMs = startMs;
  return {
    update(doneBytes) {
      const nowMs = clock.now();
      if (nowMs - shownMs < LINE_MS) return;
      shownMs = nowMs;
      stderr.write(`${textAt(doneBytes, nowMs)}\n`);
    },
    end: () => {},
  };
}

/** The space of the text beside the bar. */
const TEXT_COLUMNS = 68;

/** A bar that begins when it is first shown. An interrupted program leaves the terminal as it was. */
class Bar {
  readonly #bar: cliProgress.SingleBar;
  readonly #totalBytes: number | undefined;
  #isShown = false;

  constructor({ stream, columns, colors }: Output, totalBytes: number | undefined) {
    const barsize = Math.max(8, Math.min(40, columns - TEXT_COLUMNS));
    this.#totalBytes = totalBytes;
    this.#bar = new cliProgress.SingleBar({
      stream,
      format: (_, { progress }, payload: { text: string }) => {
        if (totalBytes === undefined) return payload.text;
        const full = Math.round(progress * barsize);
        return `${colors.cyan('━'.repeat(full))}${colors.dim('━'.repeat(barsize - full))}  ${payload.text}`;
      },
      hideCursor: false,
      linewrap: true,
      clearOnComplete: true,
    });
  }

  show(doneBytes: number, text: string): void {
    if (this.#isShown) this.#bar.update(doneBytes, { text });
    else this.#bar.start(this.#totalBytes ?? 0, doneBytes, { text });
    this.#isShown = true;
  }

  end(): void {
    this.#bar.stop();
  }
}

/** Returns what is done, the rate and the time left: `42 %, 61 MB of 145 MB, 48 MB/s, 2 s left`. Without a total: `61 MB, 48 MB/s`. */
export function progressText(doneBytes: number, totalBytes: number | undefined, elapsedMs: number): string {
  const bytesPerMs = doneBytes / Math.max(1, elapsedMs);
  const rate = `${bytesText(bytesPerMs * 1000)}/s`;
  if (totalBytes === undefined) return `${bytesText(doneBytes)}, ${rate}`;
  const share = totalBytes === 0 ? 100 : Math.min(100, Math.floor((doneBytes / totalBytes) * 100));
  const left = bytesPerMs === 0 ? '' : `, ${timeText(Math.max(0, totalBytes - doneBytes) / bytesPerMs)} left`;
  return `${share} %, ${bytesText(doneBytes)} of ${bytesText(totalBytes)}, ${rate}${left}`;
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Returns a number of bytes with three figures: `1.45 MB`. */
function bytesText(bytes: number): string {
  const power = Math.min(BYTE_UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const value = bytes / 1000 ** power;
  const digits = power === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${BYTE_UNITS[power]}`;
}

function timeText(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

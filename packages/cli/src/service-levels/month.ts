/** A calendar month in UTC, as far as it has passed. */
export interface Month {
  /** As it is written in an option: `2026-10`. */
  readonly name: string;
  readonly fromMs: number;
  /** When the next month begins, or now if that is earlier. It is a whole number of 5 minutes since 1970. */
  readonly endMs: number;
}

/** Numbers are read in steps of this length. Months begin with one. */
export const STEP_MS = 300_000;

/** Returns the month that a text names; undefined if it names none that has begun. */
export function readMonth(text: string, nowMs: number): Month | undefined {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  const found = monthOf(Number(year), Number(month) - 1, nowMs);
  return found.endMs > found.fromMs ? found : undefined;
}

/** Returns the last month that is over. */
export function lastMonth(nowMs: number): Month {
  const now = new Date(nowMs);
  return monthOf(now.getUTCFullYear(), now.getUTCMonth() - 1, nowMs);
}

/** Returns the month for people: `October 2026`. */
export function monthTitle({ fromMs }: Month): string {
  return new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(fromMs);
}

function monthOf(year: number, month: number, nowMs: number): Month {
  const fromMs = Date.UTC(year, month);
  const endMs = Math.min(Date.UTC(year, month + 1), Math.floor(nowMs / STEP_MS) * STEP_MS);
  return { name: new Date(fromMs).toISOString().slice(0, 7), fromMs, endMs };
}

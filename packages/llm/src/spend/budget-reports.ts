import { createLimiter, type Limit, type Limiter, type Store, tokenBucket } from '@sluice/core';

// What was reported about budgets. A report is named by its budget, its threshold and its window.

/** More budgets than a process meets in a window. The oldest reports are forgotten first. */
const MOST_REPORTS = 100_000;

/** What this process has reported, or knows to be reported. */
export class OwnReports {
  readonly #ids = new Set<string>();

  /** Whether this was not asked before. */
  isFirst(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > MOST_REPORTS && oldest !== undefined) this.#ids.delete(oldest);
    return true;
  }
}

/** A report, and the limit of its budget. */
export interface BudgetReport {
  readonly id: string;
  readonly limit: Limit;
}

/**
 * What all processes of a store have reported. Each charges one unit to a bucket that never refills, in one step with the look at it, so
 * exactly one of them finds that it was the first. A charge is no decision: no event and no refusal comes of it.
 */
export class SharedReports {
  readonly #limiter: Limiter<BudgetReport>;

  /** @throws SluiceError `SLUICE_OPTION`, `SLUICE_DUPLICATE_NAME` */
  constructor(store: Store, name: string, owner: object) {
    const options = {
      name,
      store,
      keyGenerator: ({ id }: BudgetReport) => id,
      limit: ({ limit }: BudgetReport) => markFor(limit),
    };
    this.#limiter = createLimiter<BudgetReport>(options, owner);
  }

  /** Whether no process has asked before. True as well if the store fails: better two reports than none. */
  async isFirst(report: BudgetReport): Promise<boolean> {
    try {
      const { verdicts } = await this.#limiter.charge(report);
      return (verdicts[0]?.used ?? 1) <= 1;
    } catch {
      return true;
    }
  }
}

const MOST_KEPT_MS = 36_500 * 86_400_000;

/** A mark is kept for longer than its window, whose last hour may be the 25th of a day. */
function markFor(limit: Limit): Limit {
  const keepFor = Math.min(MOST_KEPT_MS, 2 * Math.ceil(windowMsOf(limit)));
  return tokenBucket({ capacity: 1, refillRate: 0, keepFor });
}

/** Returns the length of a limit's window, or the time in which its bucket fills; Infinity if it never does. */
export function windowMsOf({ windowMs, quota, refillUnits = 0, refillPeriodMs = 0 }: Limit): number {
  if (windowMs !== undefined) return windowMs;
  return refillUnits === 0 ? Number.POSITIVE_INFINITY : (quota * refillPeriodMs) / refillUnits;
}

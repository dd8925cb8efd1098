const MINUTE_MS = 60_000;

/** Finds the minute in which most requests are refused; if none is, the one with most requests. */
export class WorstMinute {
  #worst = { atMs: 0, requests: 0, refused: 0 };
  #current = { atMs: 0, requests: 0, refused: 0 };

  add(timeMs: number, isRefused: boolean): void {
    if (timeMs >= this.#current.atMs + MINUTE_MS || this.#current.requests === 0) this.#turnTo(timeMs);
    this.#current.requests += 1;
    if (isRefused) this.#current.refused += 1;
  }

  get worst(): { readonly atMs: number; readonly requests: number; readonly refused: number } {
    return isWorse(this.#current, this.#worst) ? this.#current : this.#worst;
  }

  #turnTo(timeMs: number): void {
    this.#worst = this.worst;
    this.#current = { atMs: timeMs - (timeMs % MINUTE_MS), requests: 0, refused: 0 };
  }
}

interface Minute {
  readonly requests: number;
  readonly refused: number;
}

function isWorse(minute: Minute, than: Minute): boolean {
  return minute.refused === than.refused ? minute.requests > than.requests : minute.refused > than.refused;
}

/** What load shedding reads of the event loop. Tests have loops of their own. */
export interface EventLoop {
  /** Milliseconds, with fractions, since some moment in the past. It never goes back. */
  nowMs(): number;
  /** For how many milliseconds the loop has waited for events so far, with nothing to do. It only grows. */
  idleMs(): number;
  /** How often the loop has begun a new turn. Everything that was readable at that moment runs in this turn. */
  turns(): number;
}

import { CalendarEdges } from '../../values/calendar.js';
import { edgedAt } from '../edged-checks.js';
import { withoutMore } from '../leased/derived-reply.js';
import type { Ask, Check, Reply, Store } from '../store.js';
import { bestEffort } from './best-effort.js';
import type { Tally, Telling } from './local-counter.js';

/** Tells a store what was admitted here, and learns how it stands. */
export class Teller {
  readonly #store: Store;
  readonly #edges: CalendarEdges;
  /** What is being told. */
  readonly #telling = new Set<Promise<unknown>>();
  #isEnding = false;

  constructor(store: Store) {
    this.#store = store;
    this.#edges = new CalendarEdges(store.clock);
  }

  /** Asks the store as it would be asked without this one, in one step with telling it what was admitted here. */
  async ask(tally: Tally, ask: Ask, cost: number): Promise<Reply> {
    // More than there ever is would never fit.
    const isTooMuch = ask.checks.some(({ limit }) => tally.unsent + cost > limit.quota);
    if (isTooMuch) this.tell(tally);
    const units = tally.send();
    const question = tally.question();
    let isHeard = false;
    try {
      const checks = ask.checks.map((check) => ({ ...check, cost: cost + units }));
      const answer = await this.#store.consume({ ...ask, checks });
      if (answer.outsideEdges) return answer;
      isHeard = answer.allowed;
      const reply = units === 0 ? answer : withoutMore(ask, answer, units);
      if (isHeard) tally.passed(cost);
      const [told, passed] = [question.told + units, question.passed + (isHeard ? cost : 0)];
      if (isHeard || units === 0) tally.see(reply, { ...question, told, passed }, this.#store.clock.now());
      return reply;
    } finally {
      tally.sent(units, isHeard);
      if (!isHeard) this.tell(tally);
    }
  }

  /** Tells the store what was admitted here. What it may not have heard is told again the next time. */
  async tell(tally: Tally, checks = tally.checks): Promise<void> {
    const tellings = tally.tellings();
    if (tellings.length === 0) return;
    const told = Promise.all(tellings.map((telling) => bestEffort(checks, () => this.#tell(tally, checks, telling))));
    this.#telling.add(told);
    await told;
    this.#telling.delete(told);
  }

  async #tell(tally: Tally, checks: readonly Check[], telling: Telling): Promise<void> {
    const { units, id } = telling;
    try {
      const charged = checks.map((check) => ({ ...check, cost: units }));
      const { result } = await this.#store.adjust({ checks: charged, id });
      tally.sent(units, result !== 'outside-edges');
    } catch (error) {
      tally.unheard(telling);
      throw error;
    }
  }

  /** Looks how things stand; where the calendar has moved on, the next time is told by that. */
  #look(tally: Tally): Promise<void> {
    const { checks } = tally;
    return bestEffort(checks, async () => {
      const question = tally.question();
      const reply = await this.#store.consume({ checks, look: true });
      if (reply.outsideEdges) tally.checks = edgedAt(this.#edges, checks, reply.atMs);
      else tally.see(reply, question, this.#store.clock.now());
    });
  }

  /** Tells the store, and then learns how it stands. What of that fails is told again, or learned, the next time. */
  async sync(tally: Tally): Promise<void> {
    await this.tell(tally);
    if (!this.#isEnding) await this.#look(tally);
  }

  /** Resolves when all has been told that it began to tell; looks no more. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.all(this.#telling);
  }
}

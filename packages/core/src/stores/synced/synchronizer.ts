import { CalendarEdges } from '../../values/calendar.js';
import { edgedAt } from '../edged-checks.js';
import { withoutMore } from '../leased/derived-reply.js';
import { FRESH, type ProtectedStore } from '../remote/protected-store.js';
import type { Ask, Check, Reply } from '../store.js';
import { bestEffort } from './best-effort.js';
import type { LocalCounter, Telling } from './local-counter.js';

/** Tells a store what was admitted here, and learns how it stands. */
export class Synchronizer {
  readonly #store: ProtectedStore;
  readonly #edges: CalendarEdges;
  /** What is being told. */
  readonly #telling = new Set<Promise<unknown>>();
  #isEnding = false;

  constructor(store: ProtectedStore) {
    this.#store = store;
    this.#edges = new CalendarEdges(store.clock);
  }

  /** Asks the store as it would be asked without this one, in one step with telling it what was admitted here. */
  async ask(counter: LocalCounter, ask: Ask, cost: number): Promise<Reply> {
    // More than there ever is would never fit.
    const isTooMuch = ask.checks.some(({ limit }) => counter.unsent + cost > limit.quota);
    if (isTooMuch) this.tell(counter);
    const units = counter.send();
    const question = counter.question();
    let isHeard = false;
    try {
      const checks = ask.checks.map((check) => ({ ...check, cost: cost + units }));
      const answer = await this.#store.consume({ ...ask, checks }, FRESH);
      if (answer.outsideEdges) return answer;
      isHeard = answer.allowed;
      const reply = units === 0 ? answer : withoutMore(ask, answer, units);
      if (isHeard) counter.passed(cost);
      const [told, passed] = [question.told + units, question.passed + (isHeard ? cost : 0)];
      if (isHeard || units === 0) counter.see(reply, { ...question, told, passed }, this.#store.clock.now());
      return reply;
    } finally {
      counter.sent(units, isHeard);
      if (!isHeard) this.tell(counter);
    }
  }

  /** Tells the store what was admitted here. What it may not have heard is told again the next time. */
  async tell(counter: LocalCounter, checks = counter.checks): Promise<void> {
    const tellings = counter.tellings();
    if (tellings.length === 0) return;
    const told = Promise.all(tellings.map((telling) => bestEffort(checks, () => this.#tell(counter, checks, telling))));
    this.#telling.add(told);
    await told;
    this.#telling.delete(told);
  }

  async #tell(counter: LocalCounter, checks: readonly Check[], telling: Telling): Promise<void> {
    const { units, id } = telling;
    try {
      const charged = checks.map((check) => ({ ...check, cost: units }));
      const { result } = await this.#store.adjust({ checks: charged, id });
      counter.sent(units, result !== 'outside-edges');
    } catch (error) {
      counter.unheard(telling);
      throw error;
    }
  }

  /** Looks how things stand; where the calendar has moved on, the next time is told by that. */
  #look(counter: LocalCounter): Promise<void> {
    const { checks } = counter;
    return bestEffort(checks, async () => {
      const question = counter.question();
      const reply = await this.#store.consume({ checks, peek: true }, FRESH);
      if (reply.outsideEdges) counter.checks = edgedAt(this.#edges, checks, reply.atMs);
      else counter.see(reply, question, this.#store.clock.now());
    });
  }

  /** Tells the store, and then learns how it stands. What of that fails is told again, or learned, the next time. */
  async sync(counter: LocalCounter): Promise<void> {
    await this.tell(counter);
    if (!this.#isEnding) await this.#look(counter);
  }

  /** Resolves when all has been told that it began to tell; looks no more. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.all(this.#telling);
  }
}

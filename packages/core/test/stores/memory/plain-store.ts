import type { Standing } from '../../../src/algorithms/limit-state.js';
import type { Ask, Change, ChangeReply, Check, Reply, Verdict } from '../../../src/index.js';
import { standingOf } from '../../algorithms/standing-of.js';

type PlainAccount = Parameters<Standing['writeTo']>[0];

/** What a store must answer, said as shortly as it can be: an object for each key in a Map, and no end to them. */
export class PlainStore {
  readonly #accounts = new Map<string, PlainAccount>();

  get size(): number {
    return this.#accounts.size;
  }

  consume({ checks, look, id }: Ask, nowMs: number): Reply {
    const standings = checks.map((check) => this.#standing(check, nowMs));
    const allows = standings.map((standing, i) => standing.admits((checks[i] as Check).cost, id));
    const allowed = allows.every(Boolean);
    const delays = standings.map((standing, i) => (allows[i] ? standing.delayMs : 0));
    for (const [i, standing] of look ? [] : standings.entries()) {
      const check = checks[i] as Check;
      const isChanged = allowed ? standing.spend(check.cost, id) : standing.refuse(check.cost, true);
      if (isChanged) this.#write(check, standing);
    }
    const verdicts = checks.map((check, i) =>
      verdictOf(check, standings[i] as Standing, allows[i] as boolean, delays[i] as number),
    );
    return { atMs: nowMs, allowed, verdicts };
  }

  adjust({ checks, atMs }: Change, nowMs: number): ChangeReply {
    let isApplied = false;
    const verdicts = checks.map((check) => {
      const standing = this.#standing(check, nowMs);
      const isChanged = standing.correct(check.cost, atMs);
      if (isChanged || standing.isMended) this.#write(check, standing);
      isApplied ||= isChanged;
      const allowed = standing.admits(1);
      return verdictOf({ ...check, cost: 1 }, standing, allowed, allowed ? standing.delayMs : 0);
    });
    return { atMs: nowMs, result: isApplied ? 'applied' : 'expired', verdicts };
  }

  #standing(check: Check, nowMs: number): Standing {
    return standingOf(check.limit, this.#accounts.get(nameOf(check)), nowMs);
  }

  #write(check: Check, standing: Standing): void {
    const name = nameOf(check);
    const account = this.#accounts.get(name) ?? { state: {}, blockEndsMs: 0, admittedMs: -1 };
    standing.writeTo(account);
    if (standing.keptMs === 0) this.#accounts.delete(name);
    else this.#accounts.set(name, account);
  }
}

function nameOf({ policy, name, limit, key }: Check): string {
  return JSON.stringify([policy, name, limit.algorithm, key]);
}

function verdictOf({ name, limit, cost }: Check, standing: Standing, allowed: boolean, delayMs: number): Verdict {
  const { remaining, used, resetAfterMs } = standing;
  const retryAfterMs = standing.untilMs(Math.max(1, cost));
  return { name, limit, cost, allowed, remaining, used, resetAfterMs, retryAfterMs, delayMs };
}

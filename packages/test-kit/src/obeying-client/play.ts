import fc from 'fast-check';
import { type Item, isPriced, itemsByName } from './arbitrary-policies.js';
import type { Hold } from './flight.js';
import { ObeyingClient } from './obeying-client.js';
import type { Answer } from './wire.js';
import type { World } from './world.js';

/** Which of the allowed costs to send: the largest, or another. */
type Pick = 'most' | number;

type Step =
  | { readonly verb: 'send'; readonly pick: Pick; readonly hold: Hold }
  | { readonly verb: 'pass'; readonly ms: number }
  /** Opens the gate of a request that is kept on its way. */
  | { readonly verb: 'release'; readonly pick: number }
  /** Waits exactly as long as the header fields ask, and then sends a request. */
  | { readonly verb: 'rest'; readonly pick: Pick };

const hold = fc.oneof(fc.constant({}), fc.record({ arrival: fc.boolean(), departure: fc.boolean() }));
const pick = fc.oneof(fc.constant('most' as const), fc.nat(50));
const ms = fc.oneof(
  fc.integer({ min: 1, max: 60 }),
  fc.nat(5000),
  fc.integer({ min: 1, max: 5 }).map((seconds) => seconds * 1000),
);

export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ verb: fc.constant('send' as const), pick, hold }) },
    { weight: 2, arbitrary: fc.record({ verb: fc.constant('pass' as const), ms }) },
    { weight: 2, arbitrary: fc.record({ verb: fc.constant('release' as const), pick: fc.nat(50) }) },
    { weight: 2, arbitrary: fc.record({ verb: fc.constant('rest' as const), pick }) },
  ),
  { minLength: 5, maxLength: 40, size: 'max' },
);

/** Costs are no larger than this, nor than the smallest limit that they count on. */
const LARGEST_COST = 40;

/** A client that obeys, and makes steps in a world that serves its policies. */
export class Play {
  readonly answers: Answer[] = [];
  readonly #world: World;
  readonly #client: ObeyingClient;
  readonly #costs: readonly number[];
  readonly #isAlwaysRefilled: boolean;

  constructor(world: World, policies: readonly (readonly Item[])[]) {
    const items = itemsByName(policies);
    const limits = [...items.values()].filter(isPriced).map(({ limit }) => limit);
    const largest = Math.min(LARGEST_COST, ...limits.map(({ quota }) => quota));
    this.#costs = Array.from({ length: largest + 1 }, (_, cost) => cost);
    this.#isAlwaysRefilled = [...items.values()].every(({ limit }) => limit.refillUnits !== 0);
    this.#client = new ObeyingClient((name, cost) => items.get(name)?.fixedCost ?? cost);
    this.#world = world;
  }

  async make(step: Step): Promise<void> {
    if (step.verb === 'send') await this.#sendAfter(0, step.pick, step.hold);
    else if (step.verb === 'pass') await this.#world.pass(step.ms);
    else if (step.verb === 'release') await this.#release(step.pick);
    else await this.#rest(step.pick);
  }

  /** Sends one of the costs that are allowed after at most this time. */
  async #sendAfter(mostMs: number, pick: Pick, hold: Hold): Promise<void> {
    const nowMs = this.#world.clock.now();
    const waits = this.#costs
      .map((cost) => ({ cost, afterMs: this.#client.mayAfterMs(cost, nowMs) ?? Number.POSITIVE_INFINITY }))
      .filter(({ afterMs }) => afterMs <= mostMs);
    const chosen = pick === 'most' ? waits.at(-1) : waits[pick % waits.length];
    if (!chosen) return;
    if (chosen.afterMs > 0) await this.#world.pass(chosen.afterMs);
    const request = this.#client.send(chosen.cost);
    const onAnswer = (answer: Answer): void => {
      this.answers.push(answer);
      this.#client.answered(request, answer.headers, this.#world.clock.now());
    };
    await this.#world.send(chosen.cost, { hold, onAnswer });
  }

  async #release(pick: number): Promise<void> {
    const { inFlight } = this.#world;
    const flight = inFlight[pick % inFlight.length];
    if (flight) await this.#world.release(flight);
  }

  async #rest(pick: Pick): Promise<void> {
    await this.#world.land();
    const { answeredCost } = this.#client;
    const isStuck = this.#client.mayAfterMs(answeredCost ?? 0, this.#world.clock.now()) === undefined;
    if (isStuck && this.#isAlwaysRefilled) throw new Error('no quiet time lets the client go on');
    await this.#sendAfter(Number.MAX_SAFE_INTEGER, pick, {});
  }
}

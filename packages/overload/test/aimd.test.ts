import { describe, expect, it } from '@jest/globals';
import { Aimd, type AimdOptions } from '@sluice/core/load';
import fc from 'fast-check';

const TAKES_MS = 10;

/** A full limit, whose requests take ten milliseconds each. */
class FullLimit {
  readonly aimd: Aimd;
  nowMs = 0;

  constructor(initial = 1, max = 1000) {
    this.aimd = new Aimd({ initial, max });
  }

  /** As many requests as the limit allows begin, and succeed. */
  succeed(rounds = 1): this {
    for (let i = 0; i < rounds; i += 1) {
      const { limit, round } = this.aimd;
      this.nowMs += TAKES_MS;
      for (let n = 0; n < limit; n += 1)
        this.aimd.succeeded({ round, durationMs: TAKES_MS, inFlight: this.aimd.limit });
    }
    return this;
  }

  /** As many begin, and all of them fail. */
  fail(rounds = 1): this {
    for (let i = 0; i < rounds; i += 1) {
      const { limit, round } = this.aimd;
      this.nowMs += TAKES_MS;
      for (let n = 0; n < limit; n += 1) this.aimd.failed({ round, nowMs: this.nowMs });
    }
    return this;
  }
}

describe('the limit of additive increase and multiplicative decrease', () => {
  it.each<[what: string, limit: FullLimit, expected: number]>([
    ['begins where it is told to', new FullLimit(7), 7],
    ['doubles at the start', new FullLimit(1).succeed(5), 32],
    ['ends at its maximum', new FullLimit(1, 20).succeed(9), 20],
    ['halves when it has doubled too far', new FullLimit(1).succeed(5).fail(), 16],
    ['grows by one for fifty successes from then on', new FullLimit(1).succeed(5).fail().succeed(4), 17],
    ['grows by one a round if it is larger than fifty', new FullLimit(1).succeed(7).fail().succeed(10), 73],
    ['shrinks by a fifth then', new FullLimit(1).succeed(5).fail().succeed(4).fail(), 13],
    ['shrinks by a fifth from its maximum', new FullLimit(1, 20).succeed(9).fail(), 16],
    ['halves while nothing succeeds', new FullLimit(1, 20).succeed(9).fail(3), 4],
    ['is never less than one', new FullLimit(1, 20).succeed(9).fail(50), 1],
    ['doubles again to what it was when the server is back', new FullLimit(1, 20).succeed(9).fail(50).succeed(4), 16],
    ['doubles from the start if the server was never there', new FullLimit(4).fail(50).succeed(5), 32],
  ])('%s', (_what, { aimd }, expected) => {
    expect(aimd.limit).toBe(expected);
  });

  it('does not grow while it is not full', () => {
    const { aimd } = new FullLimit(8);
    for (let i = 0; i < 1000; i += 1) aimd.succeeded({ round: aimd.round, durationMs: 1, inFlight: 7 });
    expect(aimd.limit).toBe(8);
  });

  it('is not changed by requests that began before it shrank', () => {
    const full = new FullLimit(1).succeed(5);
    const { aimd } = full;
    const { round } = aimd;
    aimd.failed({ round, nowMs: full.nowMs });
    for (let i = 0; i < 100; i += 1) {
      aimd.failed({ round, nowMs: full.nowMs + 10 * TAKES_MS });
      aimd.succeeded({ round, durationMs: TAKES_MS, inFlight: 32 });
    }
    expect(aimd.limit).toBe(16);
  });

  it('shrinks at most once in the time that a request usually takes, however fast requests fail', () => {
    const full = new FullLimit(1).succeed(5);
    const { aimd, nowMs } = full;
    const limits = Array.from({ length: 3 * TAKES_MS }, (_, ms) => {
      for (let i = 0; i < 10; i += 1) aimd.failed({ round: aimd.round, nowMs: nowMs + ms });
      return aimd.limit;
    });
    expect([limits[0], limits[TAKES_MS - 1], limits[TAKES_MS], limits[2 * TAKES_MS]]).toEqual([16, 16, 8, 4]);
  });

  it('knows how long a success usually takes', () => {
    const { aimd } = new FullLimit(4);
    expect(aimd.usualMs).toBe(0);
    aimd.succeeded({ round: aimd.round, durationMs: 80, inFlight: 1 });
    aimd.succeeded({ round: aimd.round, durationMs: 160, inFlight: 1 });
    expect(aimd.usualMs).toBe(90);
  });

  it.each<[what: string, limit: FullLimit, isDown: boolean]>([
    ['down before the first success', new FullLimit().fail(), true],
    ['not down after a failure among successes', new FullLimit().succeed().fail(), false],
    ['down after a second round of failures', new FullLimit().succeed().fail(2), true],
    ['not down any more after a success', new FullLimit().succeed().fail(5).succeed(), false],
  ])('knows that the server is %s', (_what, { aimd }, isDown) => {
    expect(aimd.isDown).toBe(isDown);
  });

  it('stays a whole number between one and its maximum', () => {
    const step = fc.record({ succeeds: fc.boolean(), old: fc.nat(2), inFlight: fc.nat(60), ms: fc.nat(30) });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.array(step), (initial, steps) => {
        const aimd = new Aimd({ initial, max: 50 });
        let nowMs = 0;
        for (const { succeeds, old, inFlight, ms } of steps) {
          const round = Math.max(0, aimd.round - old);
          nowMs += ms;
          if (succeeds) aimd.succeeded({ round, durationMs: ms, inFlight });
          else aimd.failed({ round, nowMs });
          expect(Number.isInteger(aimd.limit) && aimd.limit >= 1 && aimd.limit <= 50).toBe(true);
        }
      }),
    );
  });
});

it.each([
  ['initial', { initial: 0, max: 5 }],
  ['initial', { initial: 1.5, max: 5 }],
  ['max', { initial: 5, max: 4 }],
  ['max', { initial: 5 }],
  ['most', { initial: 1, max: 5, most: 3 }],
])('refuses the wrong option %s', (path, options) => {
  expect(() => new Aimd(options as AimdOptions)).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }));
});

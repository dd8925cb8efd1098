import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '@sluice/test-kit/seeded-random';
import type { ConcurrencyOption } from '../../src/index.js';
import { type Played, play } from './play.js';
import type { SimulatedServer, SimulatedServerOptions } from './simulated-server.js';

const IS_FULL = process.env.SLUICE_CLIENT === 'full';

/** Twice the time of a good answer. */
const TIMED: ConcurrencyOption = { adaptive: { timeout: '200ms' } };

function report(what: string, { goodput, refused, inFlight, fairness }: Played): void {
  if (!IS_FULL) return;
  const numbers = Object.entries({ goodput, refused, inFlight, fairness });
  process.stdout.write(
    `client: by clock, ${what}: ${numbers.map((one) => `${one[0]} ${one[1].toFixed(3)}`).join(', ')}\n`,
  );
}

interface Trial {
  readonly what: string;
  readonly server: SimulatedServerOptions;
  readonly client: ConcurrencyOption;
  readonly isFull?: boolean;
  readonly inFlight: readonly [least: number, most: number];
  readonly goodput: number;
  readonly refused: number;
}

const random = () => seededRandom(3);

const TRIALS: readonly Trial[] = [
  {
    what: '4 workers, all wait',
    server: { workers: 4, takesMs: 100 },
    client: TIMED,
    inFlight: [4, 8],
    goodput: 0.98,
    refused: 0,
  },
  {
    what: '4 workers, refuses above 4',
    server: { workers: 4, takesMs: 100, most: 4 },
    client: 'adaptive',
    isFull: true,
    inFlight: [3, 4],
    goodput: 0.85,
    refused: 0.03,
  },
  {
    what: '4 workers, refuses above 8',
    server: { workers: 4, takesMs: 100, most: 8 },
    client: 'adaptive',
    inFlight: [4, 8],
    goodput: 0.98,
    refused: 0.02,
  },
  {
    what: '16 workers, all wait',
    server: { workers: 16, takesMs: 100 },
    client: TIMED,
    isFull: true,
    inFlight: [16, 32],
    goodput: 0.98,
    refused: 0,
  },
  {
    what: '16 workers, refuses above 16',
    server: { workers: 16, takesMs: 100, most: 16 },
    client: 'adaptive',
    isFull: true,
    inFlight: [12, 16],
    goodput: 0.85,
    refused: 0.01,
  },
  {
    what: '16 workers, random times, refuses above 16',
    server: { workers: 16, takesMs: 100, most: 16, random: random() },
    client: 'adaptive',
    isFull: true,
    inFlight: [11, 16],
    goodput: 0.8,
    refused: 0.01,
  },
  {
    what: '16 workers, refuses above 32',
    server: { workers: 16, takesMs: 100, most: 32 },
    client: 'adaptive',
    isFull: true,
    inFlight: [16, 32],
    goodput: 0.98,
    refused: 0.01,
  },
];

describe('an adaptive concurrency, by a manual clock', () => {
  it.each(TRIALS.filter(({ isFull = false }) => IS_FULL || !isFull))(
    'finds what a server takes: $what',
    async ({ what, server, client, inFlight: [least, most], goodput, refused }) => {
      const played = await play({
        server,
        clients: [client],
        callers: 3 * server.workers + 8,
        seconds: IS_FULL ? 60 : 12,
      });
      report(what, played);
      expect(played.inFlight).toBeGreaterThanOrEqual(least);
      expect(played.inFlight).toBeLessThanOrEqual(most);
      expect(played.goodput).toBeGreaterThanOrEqual(goodput);
      expect(played.refused).toBeLessThanOrEqual(refused);
    },
    600_000,
  );

  it('beside it, a fixed one that is too large is refused nearly always', async () => {
    const played = await play({
      server: { workers: 4, takesMs: 100, most: 8 },
      clients: [20],
      callers: 20,
      seconds: IS_FULL ? 20 : 2,
    });
    report('4 workers, refuses above 8, fixed at 20', played);
    expect(played.refused).toBeGreaterThan(0.5);
  }, 600_000);

  it('shares a server with other clients', async () => {
    const played = await play({
      server: { workers: 12, takesMs: 100, most: 18, random: random() },
      clients: ['adaptive', 'adaptive', { adaptive: { initial: 18 } }],
      callers: 20,
      seconds: IS_FULL ? 240 : 20,
    });
    report('12 workers, random times, refuses above 18, three clients', played);
    expect(played.goodput).toBeGreaterThanOrEqual(0.9);
    expect(played.refused).toBeLessThanOrEqual(0.06);
    expect(played.fairness).toBeGreaterThanOrEqual(IS_FULL ? 0.95 : 0.7);
  }, 600_000);

  it('is back two seconds after the server is', async () => {
    const events = new Map<number, (server: SimulatedServer) => void>([
      [5, (server) => server.goDown()],
      [8, (server) => server.comeBack()],
    ]);
    const server = { workers: 8, takesMs: 100, most: 16 };
    const { perSecond } = await play({ server, clients: ['adaptive'], callers: 20, seconds: 12, events });
    expect(perSecond[4]).toBeGreaterThanOrEqual(0.95);
    expect(Math.max(...perSecond.slice(6, 8))).toBe(0);
    expect(perSecond[10]).toBeGreaterThanOrEqual(0.95);
  }, 600_000);
});

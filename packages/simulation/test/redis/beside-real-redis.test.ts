import assert from 'node:assert/strict';
import { expect, it } from '@jest/globals';
import { ManualClock } from '@sluice/core/testing';
import { type RedisClient, RedisStore } from '@sluice/redis';
import { guaranteeScenes, plainScenes, type Scene, scenes } from '@sluice/test-kit/differential/scenes';
import type { MovableClock } from '@sluice/test-kit/redis/movable-clock';
import { withMovableClock } from '@sluice/test-kit/redis/with-movable-clock';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { SimulatedRedis } from '../../src/redis/simulated-redis.js';
import { type Contents, FAULTS, type Fault, RealServer, SimulatedServer } from './faulty-server.js';
import { RawCommands } from './raw-commands.js';
import { ScenePlayer } from './scene-player.js';
import { simulatedClient } from './simulated-client.js';

/** Without `SLUICE_RUNS`, everything is the same each time. With it, that many new scenes are played. */
const SEED = 20_260_503;

/** A scene that fails is made shorter only while nobody waits: with `SLUICE_RUNS`. */
const QUICK = { endOnFailure: true } as const;

/** The time at which each scene begins. */
const BEGINNING_MS = Date.UTC(2026, 0, 1);

const RAW_COMMANDS = 2000;

let client: Redis;
let serverClock: MovableClock;

withMovableClock((...given) => {
  [client, serverClock] = given;
});

interface Incident {
  readonly fault: Fault;
  /** Before which step it happens, and to which of the keys: parts from 0 to 1. */
  readonly when: number;
  readonly part: number;
}

const part = fc.nat(999).map((thousandths) => thousandths / 1000);

const fault = fc.constantFrom<Fault>(...FAULTS, 'fill', 'fill');

const incidents = fc.array(fc.record({ fault, when: part, part }), { maxLength: 16 });

/** The time of both servers, which stands still between the steps. */
class SharedClock {
  #nowMs = BEGINNING_MS;

  constructor() {
    serverClock.standAt(this.#nowMs);
  }

  now(): number {
    return this.#nowMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  moveBy(ms: number): void {
    // A real server may let a key expire at any time, so that one whose clock goes back has it, or has it not.
    this.#nowMs += Math.max(0, ms);
    serverClock.standAt(this.#nowMs);
  }
}

/** What both servers keep has to be the same to the last byte and millisecond. */
async function compareContents(real: RealServer, simulated: SimulatedServer): Promise<Contents> {
  const contents = await real.contents();
  assert.deepStrictEqual(await simulated.contents(), contents);
  return contents;
}

/** Plays a scene with its incidents on a store over each server. Returns how many steps there were. */
async function play({ places, steps }: Scene, incidents: readonly Incident[], isClocked: boolean): Promise<number> {
  await client.config('SET', 'maxmemory', '0');
  await client.flushall();
  await client.script('FLUSH');
  const time = new SharedClock();
  const own = new ManualClock(BEGINNING_MS);
  const server = new SimulatedRedis(time);
  const [real, simulated] = [new RealServer(client), new SimulatedServer(server)];
  const storeOver = (client: RedisClient): RedisStore =>
    new RedisStore({ client, ...(isClocked && { clock: own }), timeout: '10s' });
  const stores = [storeOver(client), storeOver(simulatedClient(server))];
  const clock = isClocked
    ? { now: () => own.now(), moveBy: (ms: number) => own.set(Math.max(Date.UTC(1980, 0, 1), own.now() + ms)) }
    : time;
  const player = new ScenePlayer(stores, clock, 'subject', places);
  for (const [i, step] of steps.entries()) {
    for (const { fault, part } of incidents.filter(({ when }) => Math.floor(when * steps.length) === i)) {
      assertSame(await player.quiet());
      await Promise.all([real.suffer(fault, part), simulated.suffer(fault, part)]);
    }
    assertSame(await player.make(step));
  }
  assertSame(await player.quiet());
  await Promise.all(stores.map((store) => store.close()));
  await compareContents(real, simulated);
  return steps.length;
}

function assertSame([real, simulated]: readonly unknown[]): void {
  assert.deepStrictEqual(simulated, real);
}

it.each([
  ['by the time of the servers', 'any limits', scenes, false, 4],
  ['by the time of the servers', 'plain limits', plainScenes, false, 3],
  ['by a clock that was passed', 'any limits', scenes, true, 4],
  ['by a clock that was passed', 'guaranteed parts', guaranteeScenes, true, 3],
])(
  'under each fault the simulated server behaves as a real redis-server: %s, %s',
  async (_, __, scenes, isClocked, numRuns) => {
    const wanted = process.env.SLUICE_RUNS;
    let steps = 0;
    await fc.assert(
      fc.asyncProperty(scenes, incidents, async (scene, incidents) => {
        steps += await play(scene, incidents, isClocked);
      }),
      wanted === undefined ? { numRuns, seed: SEED, ...QUICK } : { numRuns: Number(wanted) },
    );
    expect(steps).toBeGreaterThan(0);
  },
  600_000_000,
);

/** A reply as plain data; texts as bytes, and lists of pairs as lists. */
function shown(reply: unknown): unknown {
  if (typeof reply === 'string') return reply;
  if (Buffer.isBuffer(reply)) return reply.toString('latin1');
  if (reply instanceof Error) return `${reply.name}: ${reply.message}`;
  return Array.isArray(reply) ? reply.flat(3).map(shown) : reply;
}

async function outcome(answer: () => unknown): Promise<unknown> {
  try {
    return shown(await answer());
  } catch (error) {
    return shown(error);
  }
}

it('any command has the reply of a real redis-server, while keys expire, and while there is no memory', async () => {
  const wanted = process.env.SLUICE_RUNS;
  const seed = wanted === undefined ? SEED : Date.now() % 1e9;
  const commands = new RawCommands(seed);
  const time = new SharedClock();
  const server = new SimulatedRedis(time);
  const [real, simulated] = [new RealServer(client), new SimulatedServer(server)];
  await client.config('SET', 'maxmemory', '0');
  await client.flushall();
  for (let i = 0; i < (wanted === undefined ? RAW_COMMANDS : Number(wanted)); i += 1) {
    if (i % 7 === 0) time.moveBy([0, 1, 50, 99, 100, 101, 1000][(i / 7) % 7] as number);
    if (i % 23 === 0) {
      const fault = i % 4 === 0 ? 'fill' : 'drain';
      await Promise.all([real.suffer(fault, 0), simulated.suffer(fault, 0)]);
    }
    const [name, ...args] = commands.next();
    const replies = [
      await outcome(() => client.callBuffer(name, args)),
      await outcome(() => server.execute(name, args)),
    ];
    assert.deepStrictEqual(replies[1], replies[0], `seed ${seed}, command ${i}: ${JSON.stringify([name, ...args])}`);
    if (i % 200 === 199) {
      await compareContents(real, simulated);
      await Promise.all([real.suffer('flush', 0), simulated.suffer('flush', 0)]);
    }
  }
  await client.config('SET', 'maxmemory', '0');
}, 600_000_000);

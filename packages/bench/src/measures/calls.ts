import { type Caller, deciding, serving } from '../callers.js';
import type { Figure, Measure } from '../comparison.js';
import { percentilesOf } from '../percentiles.js';
import { RedisServer } from '../redis-server.js';
import type { Scale } from '../scale.js';
import { FIRST_CALLS, firstCallsOf, PAUSE_MS, rareCallsOf } from '../sections/rare.js';

/** The algorithm of those who choose none. */
const CONTENDER = 'Sluice sliding window';
const HOSTS = ['Express', 'Fastify'];

/** So few rare calls make a round that a comparison does not take all day. */
const RARE_CALLS = 10;

/** A process that is asked: with what it needs, and how that ends. */
type Start = (program: string) => Promise<{ caller: () => Promise<Caller>; end: () => Promise<unknown> }>;

/** The first calls of a process, and rare calls. */
export function calls(scale: Scale): readonly Measure[] {
  const overRedis: Start = async (program) => {
    const server = await RedisServer.start();
    return { caller: () => deciding(scale, CONTENDER, server.port, { program }), end: () => server.stop() };
  };
  const alone =
    (start: (program: string) => Promise<Caller>): Start =>
    async (program) => ({ caller: () => start(program), end: async () => undefined });
  const subjects: readonly (readonly [name: string, start: Start])[] = [
    ['Over Redis', overRedis],
    ['In process', alone((program) => deciding(scale, CONTENDER, undefined, { program }))],
    ...HOSTS.map((host) => [host, alone((program) => serving(scale, host, 'Sluice', { program }))] as const),
  ];
  return subjects.flatMap(([name, start]) => [firstOf(name, start), rareOf(name, start, scale)]);
}

const us = (name: string): Figure => ({ name, unit: 'µs' });

/** Each round is a process of its own. */
function firstOf(name: string, start: Start): Measure {
  const what = `${name}: first ${FIRST_CALLS} calls`;
  return {
    figures: [us(`${what}, p50`), us(`${what}, p99`), us(`${name}: the first call`)],
    async start(program) {
      const { caller, end } = await start(program);
      // A process that does not start shows it here, before any round.
      await (await caller()).end();
      return {
        async round() {
          const { p50, p99, first } = await firstCallsOf(caller);
          return [p50, p99, first];
        },
        end,
      };
    },
  };
}

function rareOf(name: string, start: Start, scale: Scale): Measure {
  const count = Math.min(scale.rareCalls, RARE_CALLS);
  return {
    figures: [us(`${name}: one call in ${PAUSE_MS} ms, p50`)],
    async start(program) {
      const { caller, end } = await start(program);
      const callers = new Map([[name, await caller()]]);
      return {
        async round() {
          const tookUs = await rareCallsOf(callers, count);
          return [percentilesOf(tookUs.get(name) ?? []).p50];
        },
        async end() {
          await callers.get(name)?.end();
          await end();
        },
      };
    },
  };
}

import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Bundle, bundleOf, bundleOfText } from '../../src/process/bundle.js';
import { SimulatedProcess } from '../../src/process/simulated-process.js';
import { BEGIN_MS, World } from '../../src/world/world.js';

const root = `${__dirname}/../../../..`;

/** Runs a text as the code of a process. Its exports are what it puts into `seen`. */
function processOf(text: string, world = new World(1), { aheadMs = 0, name = 'p' } = {}) {
  const process = new SimulatedProcess(world, name, bundleOfText(text), aheadMs);
  const { seen } = process.exports as unknown as { seen: unknown[] };
  return { world, process, seen };
}

describe('The code of a simulated process', () => {
  it('sees the time of the world, and its own error of it', async () => {
    const { world, seen } = processOf(
      `exports.seen = [];
       setTimeout(() => exports.seen.push(Date.now(), new Date().getTime(), performance.now(), process.hrtime()), 2500);`,
      new World(1),
      { aheadMs: 7 },
    );
    await world.run(10_000);
    expect(seen).toEqual([BEGIN_MS + 2507, BEGIN_MS + 2507, 2500, [2, 500_000_000]]);
  });

  it('has timers as Node does: equal ones in order, cleared ones never, too long ones at once', async () => {
    const { world, process, seen } = processOf(`
      const seen = (exports.seen = []);
      setTimeout(() => seen.push('first'), 10);
      setTimeout(() => seen.push('second'), 10);
      clearTimeout(setTimeout(() => seen.push('cleared'), 10));
      setTimeout(() => seen.push('too long'), 2 ** 31).unref();
      setImmediate(() => seen.push('immediate'));
      const every = setInterval(() => seen.push('tick') && seen.length > 6 && clearInterval(every), 60);
      const again = setTimeout(() => seen.push('refreshed'), 50);
      setTimeout(() => again.refresh(), 49);
    `);
    await world.run(1000);
    expect(seen).toEqual(['immediate', 'too long', 'first', 'second', 'tick', 'refreshed', 'tick', 'tick'].slice(0, 7));
    expect(process.pendingTimers).toBe(0);
  });

  it('runs nothing while it is stalled, and nothing after a crash', async () => {
    const { world, process, seen } = processOf(`
      const seen = (exports.seen = []);
      setInterval(() => seen.push(performance.now()), 100);
    `);
    await world.run(250);
    process.stall(500);
    await world.run(900);
    expect(seen).toEqual([100, 200, 750, 850]);
    expect(process.wasStalledSince(700)).toBe(true);
    expect(process.wasStalledSince(800)).toBe(false);
    process.crash();
    await world.run(5000);
    expect(seen).toHaveLength(4);
  });

  it('draws from chance of its own, the same in every run of a seed', () => {
    const text = `exports.seen = [Math.random(), require('node:crypto').randomBytes(8).toString('hex'), require('crypto').randomUUID(),
      String(crypto.getRandomValues(new Uint8Array(8))), globalThis.crypto.randomUUID()];`;
    const first = processOf(text).seen;
    expect(processOf(text).seen).toEqual(first);
    expect(processOf(text, new World(1), { name: 'q' }).seen).not.toEqual(first);
    expect(processOf(text, new World(2)).seen).not.toEqual(first);
  });

  it('has the modules and the process of its own by all names that they have', () => {
    const text = `
      const { getBuiltinModule } = globalThis.process;
      exports.seen = [
        globalThis.process === process,
        require('node:process') === process,
        globalThis.crypto === crypto,
        ...['crypto', 'diagnostics_channel', 'process'].map((name) => getBuiltinModule('node:' + name) === require(name)),
      ];`;
    const own = globalThis.process;
    expect(processOf(text).seen).toEqual(Array(6).fill(true));
    expect(globalThis.process).toBe(own);
  });

  it('reaches nothing outside', () => {
    expect(() => processOf(`require('node:net').connect(80)`)).toThrow('A simulated process has no net.connect');
    expect(processOf(`exports.seen = [require('node:util').types.isDate(new Date())]`).seen).toEqual([true]);
  });

  it('keeps its warnings, and publishes to its own channels alone', () => {
    const text = `
      const { channel, subscribe } = require('node:diagnostics_channel');
      const seen = (exports.seen = []);
      subscribe('c', (message) => seen.push(message));
      exports.publish = (message) => channel('c').publish(message);
      process.emitWarning('careful', { code: 'C' });
    `;
    const one = processOf(text);
    const other = processOf(text);
    (one.process.exports as unknown as { publish: (message: number) => void }).publish(5);
    expect([one.seen, other.seen]).toEqual([[5], []]);
    expect(one.process.warnings).toEqual(['C: careful']);
  });
});

describe('Our packages in simulated processes', () => {
  let bundle: Bundle;

  beforeAll(async () => {
    bundle = await bundleOf(root);
  });

  it('have a state of their own in each process', () => {
    const world = new World(1);
    const [one, other] = ['one', 'other'].map((name) => new SimulatedProcess(world, name, bundle, 0).exports);
    expect(one?.core.MemoryStore).toBe(other?.core.MemoryStore);
    expect(one?.core.tokenBucket).toBe(other?.core.tokenBucket);
  });

  it('limit by virtual time', async () => {
    const world = new World(1);
    const { core } = new SimulatedProcess(world, 'one', bundle, 0).exports;
    const limiter = core.createLimiter({ limit: 2, window: '1h' });
    const ask = (): boolean => limiter.consume('ann').allowed;
    expect([ask(), ask(), ask()]).toEqual([true, true, false]);
    await world.run(2 * 3_600_000);
    expect(ask()).toBe(true);
  });
});

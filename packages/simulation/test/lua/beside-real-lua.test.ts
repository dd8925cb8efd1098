import { expect, it } from '@jest/globals';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import type { Redis } from 'ioredis';
import { SimulatedRedis } from '../../src/redis/simulated-redis.js';
import { Snippets } from './snippets.js';

/** How many snippets are tried. With `SLUICE_RUNS`: that many new ones. */
const RUNS = 3000;

let client: Redis;

withRedis((started) => {
  client = started;
});

/**
 * The reply of a server as text, without what differs from run to run, or what JavaScript does not show: addresses, and the sign of what is
 * no number.
 */
async function outcome(answer: () => unknown): Promise<string> {
  try {
    const reply = await answer();
    const bytes = Buffer.isBuffer(reply) ? reply.toString('latin1') : String(reply);
    return bytes.replace(/-nan/g, 'nan').replace(/: 0x[0-9a-f]+/g, '');
  } catch (error) {
    return `${error}`;
  }
}

it('a script has the same results as in a real server, whatever it uses of the language and of the libraries', async () => {
  const wanted = process.env.SLUICE_RUNS;
  const seed = wanted === undefined ? 20_260_502 : Date.now() % 1e9;
  const runs = wanted === undefined ? RUNS : Number(wanted);
  const snippets = new Snippets(seed);
  const server = new SimulatedRedis({ nowMs: () => Date.now() });
  let errors = 0;
  for (let done = 0; done < runs; done += 200) {
    const sources = Array.from({ length: 200 }, () => snippets.next());
    const real = await Promise.all(sources.map((source) => outcome(() => client.callBuffer('EVAL', [source, 0]))));
    for (const [i, source] of sources.entries()) {
      const simulated = await outcome(() => server.execute('EVAL', [source, 0]));
      if (simulated !== real[i])
        throw new Error(`seed ${seed}\n${source}\n-- real\n${real[i]}\n-- simulated\n${simulated}`);
      if (real[i]?.startsWith('boolean:false')) errors += 1;
    }
    await client.script('FLUSH');
    server.forgetScripts();
  }
  // Some of what is tried is wrong, but not too much.
  expect(errors).toBeGreaterThan(runs / 20);
  expect(errors).toBeLessThan(runs / 2);
}, 600_000_000);

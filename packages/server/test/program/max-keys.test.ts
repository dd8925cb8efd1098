import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RealServer } from './real-server.js';

/** Set for the proof. */
const isFull = process.env.SLUICE_ATTACK === 'full';

const MAX_KEYS = isFull ? 100_000 : 1000;
const FLOOD = 2.9 * MAX_KEYS;
const SPENT = 100;
const BATCH = 1000;

const POLICIES = `version: 1
keys: { customer: code }
policies:
  api: { key: customer, limits: [{ name: hour, limit: 100, window: 1h }] }
`;

const TOKEN = 'a-read-token-for-tests';

describe('a service in memory under a flood of invented keys', () => {
  let server: RealServer;

  beforeAll(async () => {
    server = await RealServer.build();
  });

  afterAll(() => server.remove());

  async function start(args: readonly string[]) {
    const program = server.serve(server.write('policies.yaml', POLICIES), args, { SLUICE_READ_TOKEN: TOKEN });
    const { traffic, admin } = await program.ready();

    /** Asks for all of them in lists, and returns how much is left for each. */
    const ask = async (kind: 'consume' | 'peek', customers: readonly string[], cost: number): Promise<number[]> => {
      const left: number[] = [];
      for (let from = 0; from < customers.length; from += BATCH) {
        const body = JSON.stringify(
          customers
            .slice(from, from + BATCH)
            .map((customer) => ({ policy: 'api', kind, keys: { customer }, ...(kind === 'consume' && { cost }) })),
        );
        const headers = { 'Content-Type': 'application/json' };
        const response = await fetch(`http://127.0.0.1:${traffic}/v1/decisions`, { method: 'POST', headers, body });
        const answers = (await response.json()) as { verdicts: { remaining: number }[] }[];
        left.push(...answers.map(({ verdicts }) => verdicts[0]?.remaining ?? Number.NaN));
      }
      return left;
    };

    const metric = async (name: string): Promise<number> => {
      const headers = { Authorization: `Bearer ${TOKEN}` };
      const text = await (await fetch(`http://127.0.0.1:${admin}/metrics`, { headers })).text();
      return Number(new RegExp(`^${name}\\{[^}]*store="memory"[^}]*\\} (\\d+)$`, 'm').exec(text)?.[1]);
    };

    return { ask, metric };
  }

  const names = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${prefix}-${i}`);

  it(`forgets none of ${SPENT} keys that have spent their units`, async () => {
    const { ask, metric } = await start(isFull ? [] : ['--max-keys', String(MAX_KEYS)]);
    const spent = names('spent', SPENT);
    await ask('consume', spent.slice(0, 50), 99);
    await ask('consume', spent.slice(50), 100);
    await ask('consume', names('flood', FLOOD), 1);
    expect(await metric('sluice_store_keys')).toBe(MAX_KEYS);
    const fresh = (await ask('peek', spent, 1)).filter((remaining) => remaining > 1);
    expect(fresh).toEqual([]);
    expect(await metric('sluice_evicted_keys_total')).toBe(0);
    if (isFull)
      process.stdout.write(`attack: ${SPENT} spent keys, ${FLOOD} invented ones: ${fresh.length} fresh again\n`);
  });

  it('counts the keys that it forgets although they have spent most of their units', async () => {
    const { ask, metric } = await start(['--max-keys', '100']);
    await ask('consume', names('spent', 130), 60);
    expect(await metric('sluice_evicted_keys_total')).toBe(30);
  });
});

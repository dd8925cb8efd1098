import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '@sluice/test-kit/until';
import type { Client } from './client.js';
import type { Gateway, GatewayName } from './gateways.js';
import { type Instance, IS_FULL, NAMES, Setup } from './setup.js';

const POLICIES = `
version: 1
policies: { api: { limits: [{ limit: 1000000, window: 1d }] } }
`;

const REQUESTS = IS_FULL ? 100 : 3;

type Fault = 'frozen' | 'dead';
type Within = Readonly<Record<Fault, number>>;

/** Milliseconds within which a request is answered after a fault. A slow machine has more. */
const SLOW: Within = { frozen: 10_000, dead: 10_000 };
const EXACT: Within = IS_FULL ? { frozen: 150, dead: 20 } : SLOW;

/** HAProxy before its checks have seen the fault, and when they have. */
const UNSEEN: Within = IS_FULL ? { frozen: 450, dead: 3200 } : SLOW;
const SEEN_MS = 600;

interface Behind {
  readonly name: GatewayName;
  readonly isFailClosed: boolean;
  readonly gateway: Gateway;
  readonly client: Client;
}

describe('Without the service', () => {
  const setup = new Setup();
  const tookMs = new Map<string, number[]>();
  let service: Instance;
  let all: Behind[];

  beforeAll(async () => {
    [service] = (await setup.services(POLICIES)) as [Instance];
    const forms = NAMES.flatMap((name) => [false, true].map((isFailClosed) => ({ name, isFailClosed })));
    all = await Promise.all(
      forms.map(async ({ name, isFailClosed }) => {
        const gateway = await setup.gateway(name, [service.port], { isFailClosed });
        return { name, isFailClosed, gateway, client: setup.client(gateway.server.url) };
      }),
    );
  });

  /** Resolves when each of them has had a decision. */
  const decided = (): Promise<unknown> =>
    Promise.all(
      all.map(({ client }) => until(async () => (await client.ask()).headers['ratelimit-policy'] !== undefined, 20)),
    );

  async function ask({ name, isFailClosed, gateway, client }: Behind, phase: string): Promise<void> {
    const before = { asked: setup.application.asked, passed: gateway.failOpens() };
    const { status, tookMs: took } = await client.ask();
    expect({ name, isFailClosed, status }).toEqual({ name, isFailClosed, status: isFailClosed ? 503 : 200 });
    expect(setup.application.asked - before.asked).toBe(isFailClosed ? 0 : 1);
    if (!isFailClosed) expect(gateway.failOpens() - before.passed).toBe(1);
    const what = `${name}, ${isFailClosed ? 'fail-closed' : 'fail-open'}, ${phase}`;
    tookMs.set(what, [...(tookMs.get(what) ?? []), took]);
  }

  /** One in twenty may have been held up by the machine. */
  function expectWithin(withinMs: number): void {
    for (const [what, times] of tookMs) {
      const sorted = times.toSorted((one, other) => one - other);
      const most = sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN;
      if (IS_FULL) process.stdout.write(`gateways: ${what}: ${most.toFixed(0)} ms\n`);
      expect({ what, isInTime: most <= withinMs }).toEqual({ what, isInTime: true });
    }
    tookMs.clear();
  }

  it.each<[Fault, NodeJS.Signals]>([
    ['frozen', 'SIGSTOP'],
    ['dead', 'SIGKILL'],
  ])('that is %s, each balancer answers in time, open or closed', async (fault, signal) => {
    service.process.signal('SIGCONT');
    await decided();
    service.process.signal(signal);
    for (const behind of all) if (behind.name === 'HAProxy') await ask(behind, `${fault}, at first`);
    expectWithin(UNSEEN[fault]);
    await pause(SEEN_MS);
    for (const behind of all) for (let i = 0; i < REQUESTS; i += 1) await ask(behind, fault);
    expectWithin(EXACT[fault]);
  });
});

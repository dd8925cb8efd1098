import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { TestProgram } from '@sluice/test-kit/test-program';
import { until } from '@sluice/test-kit/until';
import { Redis } from 'ioredis';
import { createLlm } from '../../src/index.js';
import { createFakeProvider, type FakeAnswer, type FakeProvider } from '../../src/testing/index.js';
import { type Batch, BUDGET_PRICES, EXPECTED_OUTPUT, EXPECTED_PLAN, type Kind } from './budget.js';

const TIMEOUT_MS = 600_000;
const PROCESSES = 3;

/** How often Redis gets busy and freezes, and a gateway is killed. */
const ROUNDS = process.env.SLUICE_RUNS === undefined ? 1 : 10;
/** In micro-dollars: more than the rounds spend, so that the rest is spent when all is well. */
const BUDGET = 400_000 * ROUNDS;

/** What the provider makes of calls, in turns. It bills what it has made, whoever gets it. */
const ANSWERS: readonly FakeAnswer[] = [
  { output: 1000 },
  { output: 300 },
  { output: 700, usage: false },
  { output: 900, dropAfter: 2 },
  { refuse: { status: 500 } },
];

/** A zone where it is noon, so that no day ends during the test. */
const offset = 12 - new Date().getUTCHours();
const timeZone = `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;

let server: RedisServer;
let provider: FakeProvider;
let program: TestProgram;
const gateways: ChildProcess[] = [];
let kind: Kind = 'ceiling';
let answers = ANSWERS;

beforeAll(async () => {
  program = await TestProgram.build(join(__dirname, 'gateway.ts'));
  server = await RedisServer.start();
  let calls = 0;
  provider = await createFakeProvider({ answer: () => answers[calls++ % answers.length] as FakeAnswer });
}, TIMEOUT_MS);
afterAll(async () => {
  await server?.thaw();
  for (const gateway of gateways) gateway.kill('SIGKILL');
  await provider?.close();
  await server?.stop();
  program?.remove();
}, TIMEOUT_MS);

async function startGateway(): Promise<ChildProcess> {
  const args = [`${server.port}`, provider.url, timeZone, `${BUDGET}`, kind];
  const gateway = fork(program.path, args, { execArgv: ['--no-warnings'] });
  await once(gateway, 'message');
  return gateway;
}

/** Makes so many calls at once, by each gateway. */
async function ask(calls: number): Promise<Batch> {
  const answers = gateways.map((gateway) => once(gateway, 'message') as Promise<[Batch]>);
  for (const gateway of gateways) gateway.send(calls);
  const batches = (await Promise.all(answers)).map(([batch]) => batch);
  return {
    admitted: batches.reduce((sum, { admitted }) => sum + admitted, 0),
    sources: [...new Set(batches.flatMap(({ sources }) => sources))],
  };
}

/** Asks until Redis decides at every gateway. */
async function untilBack(): Promise<void> {
  await until(async () => (await ask(1)).sources.every((source) => source === 'store'), 50);
}

/** Redis answers nothing for a while, and then all that was asked. */
async function whileBusy(): Promise<void> {
  const client = new Redis({ port: server.port, host: '127.0.0.1' });
  const spin = `
    local function now() local t = redis.call('TIME') return t[1] * 1000 + t[2] / 1000 end
    local untilMs = now() + 150
    while now() < untilMs do end`;
  const spinning = client.eval(spin, 0);
  await ask(4);
  await spinning;
  // Whoever asks next finds no script.
  await client.script('FLUSH');
  client.disconnect();
}

/** Redis stops while calls are under way, and goes on when their gateways have given up. */
async function whileFrozen(calls = 6): Promise<void> {
  const before = provider.calls.length;
  const asked = ask(calls);
  await until(() => provider.calls.length > before);
  await server.freeze();
  await asked;
  await ask(2);
  await server.thaw();
}

/** A gateway dies while its calls are at the provider. Another one takes its place. */
async function killOne(calls = 6): Promise<void> {
  const before = provider.calls.length;
  const gateway = gateways.shift() as ChildProcess;
  const exit = once(gateway, 'exit');
  gateway.send(calls);
  await until(() => provider.calls.length > before);
  gateway.kill('SIGKILL');
  await exit;
  gateways.push(await startGateway());
}

it(
  'A provider bills three gateways at most their budget, while Redis is cold, busy and frozen, and gateways are killed',
  async () => {
    await server.kill();
    gateways.push(...(await Promise.all(Array.from({ length: PROCESSES }, startGateway))));
    expect(await ask(2)).toEqual({ admitted: 0, sources: ['deny'] });
    await server.run();
    await untilBack();
    for (let round = 0; round < ROUNDS; round += 1) {
      await whileBusy();
      await untilBack();
      await whileFrozen();
      await untilBack();
      await killOne();
      await untilBack();
    }
    for (let isLeft = true; isLeft; ) {
      const { admitted, sources } = await ask(4);
      isLeft = admitted > 0 || sources.some((source) => source !== 'store');
    }
    const billed = provider.calls.reduce((sum, call) => sum + BUDGET_PRICES.cost('gpt', call.billed), 0);
    const figures = `budgets: ${PROCESSES} processes, ${provider.calls.length} calls, billed ${billed} of ${BUDGET} micro-dollars\n`;
    if (ROUNDS > 1) writeSync(1, figures);
    expect(billed).toBeLessThanOrEqual(BUDGET);
    expect(billed).toBeGreaterThan(BUDGET / 2);
  },
  TIMEOUT_MS,
);

it(
  'A provider bills them at most the bound where what is expected is held',
  async () => {
    for (const gateway of gateways.splice(0)) gateway.kill('SIGKILL');
    kind = 'expected';
    answers = [{ output: 1000 }, { output: 300 }, { refuse: { status: 500 } }, { output: 900 }];
    const from = provider.calls.length;
    gateways.push(...(await Promise.all(Array.from({ length: PROCESSES }, startGateway))));
    await whileBusy();
    await untilBack();
    const settled = provider.calls.length;
    await whileFrozen(1);
    await untilBack();
    await killOne(2);
    // No more than these can have lost their settlement.
    const lost = provider.calls.length - settled;
    await untilBack();
    for (let isLeft = true; isLeft; ) isLeft = (await ask(2)).admitted > 0;

    const costs = provider.calls.slice(from).map((call) => BUDGET_PRICES.cost('gpt', call.billed));
    const billed = costs.reduce((sum, cost) => sum + cost, 0);
    const [most, least] = [Math.max(...costs), EXPECTED_OUTPUT * 10];
    const llm = createLlm<[]>({ call: () => ({}), plan: EXPECTED_PLAN, prices: BUDGET_PRICES, hold: 'expected' });
    const range = { most: { microDollars: most }, least: { microDollars: least }, lost };
    const bound = llm.boundOf(EXPECTED_PLAN, '1d', range).microDollars;
    expect(bound).toBe((EXPECTED_PLAN.perLifetime as number) + (6 + lost) * (most - least));
    expect(billed).toBeLessThanOrEqual(bound);
    expect(billed).toBeGreaterThan((EXPECTED_PLAN.perLifetime as number) - 2 * least);
  },
  TIMEOUT_MS,
);

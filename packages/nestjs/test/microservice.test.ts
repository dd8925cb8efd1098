import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller } from '@nestjs/common';
import { type ClientProxy, ClientProxyFactory, MessagePattern, Payload, Transport } from '@nestjs/microservices';
import { firstValueFrom } from 'rxjs';
import {
  CurrentRateLimit,
  RateLimit,
  RateLimitModule,
  type RateLimitModuleOptions,
  type Reservation,
  SkipRateLimit,
} from '../src/index.js';
import { closeAfterwards, GLOBAL_GUARD, moduleOf } from './apps.js';

const tenantOf: NonNullable<RateLimitModuleOptions['keyGenerator']> = (_request, context) =>
  context.switchToRpc().getData<{ tenant: string }>().tenant;
const TWO = { limit: 2, window: '1m' } as const;

@Controller()
class Sums {
  @MessagePattern('sum')
  sum(@Payload() { numbers }: { numbers: number[] }, @CurrentRateLimit() rateLimit?: Reservation) {
    return [numbers.reduce((sum, number) => sum + number, 0), rateLimit?.tightest.remaining];
  }

  @MessagePattern('free')
  @SkipRateLimit()
  free() {
    return 'free';
  }

  @MessagePattern('fail')
  @RateLimit({ ...TWO, skipFailedRequests: true })
  fail(): never {
    throw new Error('broken');
  }
}

const clients: ClientProxy[] = [];

afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function start(options: RateLimitModuleOptions): Promise<(pattern: string, data: object) => Promise<unknown>> {
  const module = moduleOf({
    imports: [RateLimitModule.forRoot(options)],
    controllers: [Sums],
    providers: [GLOBAL_GUARD],
  });
  const address = { host: '127.0.0.1', port: await freePort() };
  const app = (await module.compile()).createNestMicroservice({
    transport: Transport.TCP,
    options: address,
    logger: false,
  });
  await closeAfterwards(app).listen();
  const client = ClientProxyFactory.create({ transport: Transport.TCP, options: address });
  clients.push(client);
  return (pattern, data) => firstValueFrom(client.send(pattern, data));
}

describe('A microservice', () => {
  it('counts each message once by the key that its policy finds, and refuses with the problem', async () => {
    const ask = await start({ ...TWO, keyGenerator: tenantOf });
    expect(await ask('sum', { tenant: 'a', numbers: [1, 2] })).toEqual([3, 1]);
    expect(await ask('sum', { tenant: 'a', numbers: [3, 4] })).toEqual([7, 0]);
    await expect(ask('sum', { tenant: 'a', numbers: [] })).rejects.toMatchObject({
      title: 'Quota Exceeded',
      status: 429,
      'violated-policies': ['per-1m'],
    });
    expect(await ask('sum', { tenant: 'b', numbers: [] })).toEqual([0, 1]);
    expect(await ask('free', {})).toBe('free');
  });

  it('refuses with the text of a message', async () => {
    const ask = await start({ limit: 0, window: '1m', keyGenerator: tenantOf, message: 'later' });
    await expect(ask('sum', { tenant: 'a', numbers: [] })).rejects.toMatchObject({ message: 'later' });
  });

  it('gives back the charge of a message whose handler failed', async () => {
    const ask = await start({ ...TWO, keyGenerator: tenantOf });
    for (let i = 0; i < 4; i += 1) {
      await expect(ask('fail', { tenant: 'a' })).rejects.toMatchObject({ message: 'Internal server error' });
    }
  });

  it('refuses a message without a key by the status of onMissingKey, and spends nothing', async () => {
    const ask = await start({ ...TWO, keyGenerator: tenantOf, onMissingKey: 401 });
    for (let i = 0; i < 3; i += 1) {
      await expect(ask('sum', { numbers: [] })).rejects.toMatchObject({ title: 'Unauthorized', status: 401 });
    }
    expect(await ask('sum', { tenant: 'a', numbers: [] })).toEqual([0, 1]);
  });

  it('counts messages, which have no address, by the key that onMissingKey gives', async () => {
    const ask = await start({ ...TWO, onMissingKey: tenantOf as () => string });
    expect(await ask('sum', { tenant: 'a', numbers: [1] })).toEqual([1, 1]);
    expect(await ask('sum', { tenant: 'b', numbers: [1] })).toEqual([1, 1]);
  });

  it('responds with an error, and does not count clients together, if the key is missing', async () => {
    const ask = await start({ limit: 9, window: '1m', keyGenerator: tenantOf });
    await expect(ask('sum', { numbers: [] })).rejects.toMatchObject({ message: 'Internal server error' });
  });

  it.each<[what: string, options: RateLimitModuleOptions]>([
    ['a policy has no keyGenerator', TWO],
    [
      'one limit of a policy has none',
      {
        limits: [
          { ...TWO, keyGenerator: tenantOf },
          { limit: 3, window: '1s' },
        ],
      },
    ],
  ])('does not start when %s', async (_, options) => {
    await expect(start(options)).rejects.toMatchObject({
      code: 'SLUICE_KEY',
      message: expect.stringContaining('Sums.sum takes messages'),
    });
  });
});

import { afterEach, describe, expect, it } from '@jest/globals';
import { policies } from '@sluice/config';
import { createLimiter, MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import type { ServiceCall } from '../../src/service/service-call.js';
import { SERVICE_POLICIES } from '../../src/service/service-policies.js';
import { startJson } from '../descriptors/json-server.js';
import { TextSource } from '../text-source.js';
import { isNewer, type JsonAnswer, jsonAnswer, objectOf } from './answers.js';
import { OfficialClient } from './official-client.js';
import { POLICIES, type RandomRequest, randomRequests } from './random-requests.js';
import { startGrpc } from './test-server.js';

const isFull = process.env.SLUICE_RLS === 'full';
const COUNT = isFull ? 10_000 : 100;
const SEED = 20_261_122;

const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** What asks for one decision after another, with a clock of its own. */
interface Side<T> {
  readonly clock: ManualClock;
  ask(request: RandomRequest['request']): Promise<T>;
}

async function grpcSide(): Promise<Side<JsonAnswer>> {
  const server = await startGrpc(POLICIES);
  const client = new OfficialClient(server.port);
  ends.push(() => client.close(), server.stop);
  return {
    clock: server.clock,
    ask: async (request) => jsonAnswer(await client.call(objectOf(request), { isNewer: isNewer(request) })),
  };
}

async function jsonSide(): Promise<Side<JsonAnswer>> {
  const { clock, service, stop } = await startGrpc(POLICIES);
  const server = await startJson({ service });
  ends.push(server.stop, stop);
  return { clock, ask: async (request) => (await (await server.post(request)).json()) as JsonAnswer };
}

/** What a program does that asks the limiters itself: the same as the service promises. */
async function limiterSide(): Promise<Side<unknown>> {
  const clock = new ManualClock();
  const store = new MemoryStore({ clock });
  const live = await policies<ServiceCall, false>({ source: new TextSource(POLICIES), store, ...SERVICE_POLICIES });
  ends.push(() => live.close());
  const limiters = new Map([...live.file.policies.keys()].map((name) => [name, createLimiter(live.policy(name))]));

  const ask = async ({ domain, descriptors, hitsAddend: hitsOfAll }: RandomRequest['request']): Promise<unknown> => {
    const statuses: object[] = [];
    const granted: { cancel(): unknown }[] = [];
    for (const { entries, hitsAddend = hitsOfAll } of descriptors) {
      const { policy, remote_address, user, ...headers } = Object.fromEntries(
        entries.map(({ key, value }) => [key, value]),
      );
      const name = policy === undefined ? domain : domain.endsWith('.') ? domain + policy : policy;
      const limiter = limiters.get(name) as NonNullable<ReturnType<typeof limiters.get>>;
      const subject: ServiceCall = {
        kind: 'consume',
        method: 'GET',
        url: '/',
        headers,
        ip: remote_address,
        keys: user === undefined ? {} : { user },
      };
      const options = hitsAddend === undefined ? {} : { cost: hitsAddend };
      const reservation = hitsAddend === 0 ? undefined : limiter.reserve(subject, options);
      const decision = reservation ?? limiter.peek(subject);
      const { allowed, remaining, shadow } = decision.tightest;
      statuses.push({
        code: decision.allowed ? 'OK' : 'OVER_LIMIT',
        ...(!shadow && allowed && remaining > 0 && { limitRemaining: remaining }),
      });
      if (!decision.allowed) {
        for (const one of granted) one.cancel();
        break;
      }
      if (reservation) granted.push(reservation);
    }
    const isRefused = statuses.some((status) => 'code' in status && status.code === 'OVER_LIMIT');
    const notAsked = new Array<object>(descriptors.length - statuses.length).fill({});
    return { overallCode: isRefused ? 'OVER_LIMIT' : 'OK', statuses: [...statuses, ...notAsked] };
  };
  return { clock, ask };
}

/** The part of an answer that every program can know. */
function core({ overallCode, statuses }: JsonAnswer): unknown {
  return {
    overallCode,
    statuses: (statuses as readonly { code?: string; limitRemaining?: number }[]).map(({ code, limitRemaining }) => ({
      ...(code !== undefined && { code }),
      ...(limitRemaining !== undefined && { limitRemaining }),
    })),
  };
}

describe('gRPC, POST /json and limiters in a program', () => {
  it(`decide the same about ${COUNT} random requests`, async () => {
    const [grpc, json, limiters] = [await grpcSide(), await jsonSide(), await limiterSide()];
    const outcomes = new Map<unknown, number>();
    for (const [i, { afterMs, request }] of randomRequests(COUNT, SEED).entries()) {
      for (const { clock } of [grpc, json, limiters]) clock.advance(afterMs);
      const [byGrpc, byJson, expected] = await Promise.all([
        grpc.ask(request),
        json.ask(request),
        limiters.ask(request),
      ]);
      expect({ i, ...byGrpc }).toEqual({ i, ...byJson });
      expect({ i, answer: core(byGrpc) }).toEqual({ i, answer: expected });
      outcomes.set(byGrpc.overallCode, (outcomes.get(byGrpc.overallCode) ?? 0) + 1);
    }
    const [allowed = 0, refused = 0] = [outcomes.get('OK'), outcomes.get('OVER_LIMIT')];
    expect(allowed + refused).toBe(COUNT);
    expect(Math.min(allowed, refused)).toBeGreaterThan(COUNT / 10);
    if (isFull)
      process.stdout.write(
        `rls: ${COUNT} random requests, ${allowed} allowed and ${refused} refused: gRPC, /json and createLimiter agree\n`,
      );
  });
});

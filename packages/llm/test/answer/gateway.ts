import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { type RateLimitHandler, type RateLimitOptions, rateLimit } from '@sluice/express';
import express, { type Request, type Response } from 'express';
import { createLlm, type Llm, type LlmOptions } from '../../src/index.js';
import { PRICES } from '../limited.js';

export type Args = [req: Request, res: Response];

/** A gateway on Express whose handler settles its calls as they say themselves, by the names of limits. */
export interface Gateway {
  readonly llm: Llm<Args>;
  readonly clock: ManualClock;
  readonly store: MemoryStore;
  /** How many requests have arrived, refused ones included. */
  readonly arrived: () => number;
  /** The models of the calls that were admitted. */
  readonly models: string[];
  /** Sends a call; `settles` is what it turns out to cost. */
  post(body: unknown, settles?: Readonly<Record<string, number>>, headers?: Record<string, string>): Promise<Answer>;
  /** Lets calls with the field `x-waits` end. */
  release(): void;
  readonly policy: RateLimitHandler;
  readonly url: string;
  close(): Promise<void>;
}

/** An answer of the gateway, with its body parsed. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: bodies have any form, and tests look into them.
  readonly body: any;
}

/** Serves limits on a free port. */
export async function gateway(
  options: Partial<LlmOptions<Args>>,
  further: (llm: Llm<Args>) => Partial<RateLimitOptions> = () => ({}),
): Promise<Gateway> {
  const clock = new ManualClock();
  const store = new MemoryStore({ clock });
  const llm = createLlm<Args>({
    call: (req) => req.body,
    plan: {},
    prices: PRICES,
    hold: 'expected',
    clock,
    ...options,
  });
  const models: string[] = [];
  let arrived = 0;
  const app = express();
  app.use((_req, _res, next) => {
    arrived += 1;
    next();
  });
  app.use(express.json());
  const keyGenerator = (req: Request) => req.get('x-user') ?? 'ann';
  const policy = rateLimit({ name: 'llm', store, keyGenerator, ...llm.policy, ...further(llm) } as RateLimitOptions);
  const waiting: (() => void)[] = [];
  app.use(policy);
  app.use(async (req, res) => {
    const settles = req.get('x-settles');
    if (req.get('x-waits')) await new Promise<void>((resolve) => waiting.push(resolve));
    const admitted = llm.callOf(req);
    const held = admitted?.reservation.verdicts.filter(({ name }) => /\bheld$/.test(name)) ?? [];
    const released = Object.fromEntries(held.map(({ name }) => [name, 0]));
    if (settles) await req.rateLimit?.settle({ ...released, ...JSON.parse(settles) });
    // Charged as held, and held no more.
    else if (admitted) await llm.meter(admitted.reservation, admitted.call).end('abandoned');
    models.push(admitted?.call.model ?? 'none');
    res.json({ ok: true });
  });
  const server = await new Promise<Server>((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    llm,
    clock,
    store,
    models,
    url,
    policy,
    arrived: () => arrived,

    release() {
      for (const end of waiting.splice(0)) end();
    },

    async post(body, settles, headers = {}) {
      const answer = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(settles && { 'x-settles': JSON.stringify(settles) }),
          ...headers,
        },
        body: JSON.stringify(body),
      });
      return { status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text()) };
    },

    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

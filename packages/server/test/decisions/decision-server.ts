import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { policies } from '@sluice/config';
import { MemoryStore, type Store } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { type DecisionRouteParts, decisionRoutes } from '../../src/decisions/decision-routes.js';
import type { Route } from '../../src/http/route.js';
import { requestListener } from '../../src/http/router.js';
import { createService } from '../../src/service/create-service.js';
import type { Service } from '../../src/service/service.js';
import type { ServiceCall } from '../../src/service/service-call.js';
import { SERVICE_POLICIES } from '../../src/service/service-policies.js';
import { reservationTokens } from '../../src/tokens/reservation-tokens.js';
import { TextSource } from '../text-source.js';

/** A policy file with a key from code, a tier from code, and a policy that counts by address. */
export const POLICIES = `version: 1
keys: { customer: code }
tiers:
  free: { minute: { limit: 10, window: 1m } }
  paid: { minute: { limit: 100, window: 1m } }
policies:
  api: { limits: [{ name: minute, limit: 100, window: 1m }], denyList: [198.51.100.7], allowList: [198.51.100.8] }
  login: { limits: [{ name: attempts, limit: 5, window: 15m }] }
  plans: { key: customer, tier: { from: code, default: free }, limits: [{ name: minute, tier: true }] }
`;

export const SECRET = 'a secret for tests';

/** An answer of the service. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed, if it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: what it is, the tests say
  readonly body: any;
}

/** What a test may change. */
export interface DecisionServerOptions {
  readonly text?: string;
  /** That of another server, to decide together with it. */
  readonly service?: Service;
  readonly clock?: ManualClock;
  readonly store?: Store;
  readonly secrets?: readonly string[];
  readonly callers?: DecisionRouteParts['callers'];
  readonly routes?: (parts: DecisionRouteParts) => readonly Route[];
}

/** A service of decisions on a port of this machine. */
export interface DecisionServer {
  readonly clock: ManualClock;
  readonly source: TextSource;
  readonly parts: DecisionRouteParts;
  /** The errors of handlers. There should be none. */
  readonly reported: unknown[];
  readonly url: string;
  /** Sends a value as JSON. */
  post(path: string, value: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  send(path: string, init: RequestInit): Promise<Answer>;
  /** The units that are left to a request. It spends nothing. */
  left(request?: object): Promise<number>;
  close(): Promise<void>;
}

const ANN = { policy: 'api', request: { address: '192.0.2.1' } };

export async function startDecisionServer({
  text = POLICIES,
  clock = new ManualClock(),
  store = new MemoryStore({ clock }),
  secrets = [SECRET],
  callers = { check: () => {} },
  routes = decisionRoutes,
  service: shared,
}: DecisionServerOptions = {}): Promise<DecisionServer> {
  const source = new TextSource(text);
  const live = await policies<ServiceCall, boolean>({ source, store, ...SERVICE_POLICIES });
  const service = shared ?? createService({ live, store });
  const parts = { service, tokens: reservationTokens(secrets), callers };
  const reported: unknown[] = [];
  const server = createServer(requestListener(routes(parts), (error) => reported.push(error)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const send = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, init);
    const { status, headers } = response;
    const body = await response.text();
    return { status, headers, body: /json/.test(headers.get('content-type') ?? '') ? JSON.parse(body) : body };
  };
  const post: DecisionServer['post'] = (path, value, headers = {}) =>
    send(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(value),
    });
  return {
    clock,
    source,
    parts,
    reported,
    url,
    post,
    send,
    left: async (request = ANN) =>
      (await post('/v1/decisions', { ...request, kind: 'peek' })).body.verdicts[0].remaining,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await live.close();
    },
  };
}

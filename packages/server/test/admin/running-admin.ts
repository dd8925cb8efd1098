import { type LivePolicies, policies } from '@sluice/config';
import { MemoryStore, type Store } from '@sluice/core';
import { Registry } from 'prom-client';
import { createAdminListener } from '../../src/admin/admin-listener.js';
import { AuditTrail } from '../../src/admin/audit-trail.js';
import { adminTokens } from '../../src/admin/tokens.js';
import { Health } from '../../src/health/health.js';
import type { Listener } from '../../src/listener.js';
import { createService } from '../../src/service/create-service.js';
import type { Service } from '../../src/service/service.js';
import type { ServiceCall } from '../../src/service/service-call.js';
import { SERVICE_POLICIES } from '../../src/service/service-policies.js';
import { TextSource } from '../text-source.js';

export const READ_TOKEN = 'grafana-reads-with-this';
export const WRITE_TOKEN = 'ann-writes-with-this-one';

/** Policies of all kinds of keys. */
export const FILE = `version: 1
keys:
  customer: { header: X-Api-Key }
  client: { ip: { ipv6Subnet: 64 } }
  user: code
tiers:
  free: { minute: { limit: 3, window: 1m } }
  pro: { minute: { limit: 30, window: 1m } }
customers:
  acme: { tier: pro }
  sk-live-51Hc0ffee: { tier: free }
  mallory: { block: true, reason: scraping }
policies:
  api:
    key: customer
    tier: { from: customers, default: free }
    limits:
      - { name: minute, tier: true }
      - { name: address, key: address, limit: 100, window: 1m }
  login:
    limits: [{ name: minute, limit: 5, window: 1m }]
  search:
    key: [user, client]
    limits: [{ name: minute, limit: 10, window: 1m }]
  all:
    key: everyone
    limits: [{ name: second, limit: 1000, window: 1s }]
`;

export interface AdminAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as data. */
  readonly body: ReturnType<typeof JSON.parse>;
}

interface Options {
  readonly file?: string;
  readonly store?: Store;
  readonly hosts?: readonly string[];
  readonly drain?: () => Promise<void>;
  readonly more?: object;
}

/** An administration that listens on a free port. */
export class RunningAdmin {
  readonly url: string;
  readonly service: Service;
  readonly source: TextSource;
  readonly health: Health;
  /** What was written to the audit. */
  readonly audit: string[];
  /** Errors that no operator is to blame for. */
  readonly reported: unknown[];
  readonly #listener: Listener;
  readonly #live: LivePolicies<ServiceCall>;

  private constructor(
    parts: Pick<RunningAdmin, 'url' | 'service' | 'source' | 'health' | 'audit' | 'reported'>,
    listener: Listener,
  ) {
    this.url = parts.url;
    this.service = parts.service;
    this.source = parts.source;
    this.health = parts.health;
    this.audit = parts.audit;
    this.reported = parts.reported;
    this.#listener = listener;
    this.#live = parts.service.live;
  }

  static async start({
    file = FILE,
    store = new MemoryStore(),
    hosts = [],
    drain,
    more,
  }: Options = {}): Promise<RunningAdmin> {
    const lines: string[] = [];
    const reported: unknown[] = [];
    const audit = new AuditTrail({ write: (line) => lines.push(line) });
    const source = new TextSource(file);
    const live = await policies<ServiceCall, boolean>({
      source,
      store,
      audit,
      ...SERVICE_POLICIES,
      ...more,
    });
    const service = createService({ live, store });
    const health = new Health(() => []);
    health.begin();
    const listener = createAdminListener({
      service,
      readiness: health,
      tokens: adminTokens({ read: [`grafana:${READ_TOKEN}`], write: [`ann:${WRITE_TOKEN}`] }),
      audit,
      metrics: new Registry(),
      hosts,
      drain: drain ?? (async () => {}),
      report: (error) => void reported.push(error),
    });
    const port = await listener.listen('127.0.0.1', 0);
    const url = `http://127.0.0.1:${port}`;
    return new RunningAdmin({ url, service, source, health, audit: lines, reported }, listener);
  }

  /** Runs a verb. */
  post(verb: string, input: unknown = {}, token: string | undefined = WRITE_TOKEN): Promise<AdminAnswer> {
    return this.send(`/v1/admin/${verb}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token !== '' && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(input),
    });
  }

  async send(path: string, init: RequestInit = {}): Promise<AdminAnswer> {
    const response = await fetch(this.url + path, init);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  }

  /** Sends a request to the service, as a balancer would. */
  async ask(policy: string, call: Partial<ServiceCall>) {
    const whole: ServiceCall = { kind: 'consume', method: 'GET', url: '/', headers: {}, ip: '203.0.113.7', ...call };
    return this.service.answer(policy, whole);
  }

  async close(): Promise<void> {
    await this.#listener.close(100);
    await this.#live.close();
  }
}

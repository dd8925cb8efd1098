import type { Key, Limit } from '@sluice/core';
import { ipKey } from '@sluice/core/http';
import { ManualClock } from '@sluice/core/testing';
import { encodeKey } from '@sluice/core/values';
import * as assert from '../assert.js';
import type {
  AdapterAnswer,
  AdapterApp,
  AdapterOptions,
  AdapterRequest,
  AdapterTools,
  RunningAdapter,
  StartAdapter,
} from './adapter-app.js';
import type { AdapterClaims } from './claims.js';
import { Client, type ClientAnswer, type Pending } from './client.js';
import { FragileStore } from './fragile-store.js';
import { nextTurn } from './next-turn.js';

type Perform = (fixture: AdapterFixture) => Promise<void>;

/** Tests by their titles. One may concern only adapters that tell when handlers end, or only the others. */
export type Rules = Readonly<Record<string, Perform | { readonly handlerEnds: boolean; readonly perform: Perform }>>;

/** Rules by the subject under which their tests are listed. */
export type Subjects = Readonly<Record<string, Rules>>;

type Policies = readonly AdapterOptions[] | ((tools: AdapterTools) => readonly AdapterOptions[]);

type Setting = Omit<AdapterApp, 'policies' | 'handle'>;

/** The response of a handler without anything special. */
export const OK: AdapterAnswer = Object.freeze({ status: 200, body: 'ok' });

/** How often a state of the server is checked before the test fails. */
const MOST_TRIES = 20_000;

/** The application, the store and the client of one test. */
export class AdapterFixture {
  readonly clock = new ManualClock();
  readonly store: FragileStore;
  /** The requests that have reached the handler. */
  readonly handled: AdapterRequest[] = [];
  /** The options of the policies that are served. */
  served: readonly AdapterOptions[] = [];
  /** Whether the adapter keeps slots until the handler has ended. */
  readonly reportsHandlers: boolean;
  readonly #start: StartAdapter;
  #running: RunningAdapter | undefined;
  #client: Client | undefined;

  constructor(start: StartAdapter, isAsync: boolean, { handlerEnds }: AdapterClaims) {
    this.#start = start;
    this.reportsHandlers = handlerEnds === true;
    this.store = new FragileStore(this.clock, isAsync);
  }

  /**
   * Serves an application. Its policies count in the store of this test, unless they have their own. Options that are listed
   * twice are one policy, which a request passes twice.
   */
  async serve(policies: Policies, handle: AdapterApp['handle'] = () => OK, setting: Setting = {}): Promise<void> {
    this.#running = await this.#start({
      ...setting,
      policies: (tools) => {
        const listed = typeof policies === 'function' ? policies(tools) : policies;
        const completed = new Map(listed.map((options) => [options, { store: this.store, ...options }]));
        this.served = listed.map((options) => completed.get(options) as AdapterOptions);
        return this.served;
      },
      handle: (request) => {
        this.handled.push(request);
        return handle(request);
      },
    });
    this.#client = new Client(this.#running.url);
  }

  get client(): Client {
    assert.ok(this.#client, 'nothing is served yet');
    return this.#client;
  }

  begin(path = '/', headers: Readonly<Record<string, string>> = {}): Pending {
    return this.client.begin('GET', path, headers);
  }

  get(path = '/', headers: Readonly<Record<string, string>> = {}): Promise<ClientAnswer> {
    return this.begin(path, headers).answer;
  }

  send(method: string, path = '/', headers: Readonly<Record<string, string>> = {}): Promise<ClientAnswer> {
    return this.client.begin(method, path, headers).answer;
  }

  /** Sends this many requests, one after the other. Returns their statuses. */
  async statuses(count: number, path = '/', headers: Readonly<Record<string, string>> = {}): Promise<number[]> {
    const statuses: number[] = [];
    for (let i = 0; i < count; i += 1) statuses.push((await this.get(path, headers)).status);
    return statuses;
  }

  /** Returns the remaining units of a limit, as the store reports them. The default key is the client's address. */
  async left(limit: Limit, name: string, policy = 'default', key: Key = ipKey('127.0.0.1')): Promise<number> {
    const check = { policy, name, key: encodeKey(key), limit, cost: 1 };
    const { verdicts } = await this.store.consume({ checks: [check], peek: true });
    return verdicts[0]?.remaining ?? Number.NaN;
  }

  /**
   * Checks again and again until it is true. Use it for events that the server notices by itself, such as a client that
   * leaves.
   */
  async until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    for (let i = 0; i < MOST_TRIES; i += 1) {
      if (await isSo()) return;
      await nextTurn();
    }
    assert.fail(`did not happen: ${what}`);
  }

  async close(): Promise<void> {
    this.#client?.close();
    await this.#running?.close();
    this.store.failure = undefined;
    await this.store.close();
  }
}

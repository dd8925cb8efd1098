import { systemClock } from '@sluice/core';
import type { Argument, ClientError, RedisDriver } from './redis-driver.js';

/**
 * A client of node-redis 4, 5 or 6 (`redis`), as `createClient`, `createCluster`, `createSentinel` and `createClientPool` return it. The
 * type is structural, so that two copies of node-redis in one application do not conflict.
 */
export interface NodeRedisClient {
  /** Whether it is connected, or going to be. */
  readonly isOpen: boolean;
  /** Sends a command. What its first parameters are differs between a client, a cluster and Sentinel. */
  sendCommand(...args: never[]): Promise<unknown>;
}

/** How the strings of a reply are read. Version 4 knows the first field, later versions the second. */
interface ReplyForm {
  readonly returnBuffers: boolean;
  readonly typeMapping: Readonly<Record<number, unknown>>;
}

/** How Redis begins a string of any bytes. */
const STRING = '$'.charCodeAt(0);

const AS_BYTES: ReplyForm = { returnBuffers: true, typeMapping: { [STRING]: Buffer } };
/** Also if the client reads the strings of its other replies in another way. */
const AS_TEXT: ReplyForm = { returnBuffers: false, typeMapping: {} };

/**
 * While a slot of a cluster moves, a call about several of its keys fails if they are on two servers. So often it is sent again, after so long
 * each time: as ioredis does.
 */
const [MOST_TRIES, TRY_AGAIN_MS] = [16, 100] as const;

/** A server of a cluster. */
interface Node {
  readonly address: string;
}

/** What all of its forms may have. */
interface AnyForm {
  readonly isOpen: boolean;
  readonly isReady?: boolean;
  readonly options?: { readonly database?: unknown; readonly keyPrefix?: unknown; readonly legacyMode?: unknown };
  readonly _keyPrefix?: unknown;
  /** Of a cluster. */
  readonly masters?: readonly Node[];
  readonly slots?: readonly ({ readonly master: Node } | undefined)[];
  nodeClient?(node: Node): AnyForm | Promise<AnyForm>;
  /** Of Sentinel. */
  getMasterNode?(): unknown;
  sendCommand(...args: readonly unknown[]): Promise<unknown>;
  on(event: string, listener: (of: unknown) => void): unknown;
}

/** Whether a value has what all forms of node-redis 4, 5 and 6 have. In the legacy mode of version 4, commands return no promises. */
export function isNodeRedis(client: unknown): client is NodeRedisClient {
  const { sendCommand, isOpen, options } = (client ?? {}) as Partial<AnyForm>;
  return typeof sendCommand === 'function' && typeof isOpen === 'boolean' && !options?.legacyMode;
}

/** Drives a client of node-redis: of one server, of a cluster, of Sentinel, or a pool. */
export class NodeRedisDriver implements RedisDriver {
  readonly isCluster: boolean;
  readonly keyPrefix: string;
  readonly database: unknown;
  readonly #client: AnyForm;
  readonly #isSentinel: boolean;
  readonly #errorListeners = new Set<(error: ClientError) => void>();
  #isListening = false;

  constructor(client: NodeRedisClient) {
    const form = client as NodeRedisClient & AnyForm;
    this.isCluster = form.masters !== undefined;
    this.keyPrefix = String(form._keyPrefix ?? form.options?.keyPrefix ?? '');
    this.database = form.options?.database;
    this.#client = form;
    this.#isSentinel = typeof form.getMasterNode === 'function';
  }

  /** A client that is not open may be opened later, also again. */
  get status(): string {
    const { isOpen, isReady, masters } = this.#client;
    if (!isOpen) return 'closed';
    // A pool does not say.
    return (isReady ?? masters?.length !== 0) ? 'ready' : 'connecting';
  }

  runScript(
    command: 'eval' | 'evalsha',
    script: string,
    keys: readonly string[],
    args: readonly Argument[],
    isPacked: boolean,
  ): Promise<unknown> {
    const all = [command === 'eval' ? 'EVAL' : 'EVALSHA', script, `${keys.length}`];
    for (const key of keys) all.push(this.keyPrefix + key);
    for (const arg of args) all.push(`${arg}`);
    return this.#send(keys.length > 0 ? all[3] : undefined, all, isPacked ? AS_BYTES : AS_TEXT);
  }

  async runOnPrimaries(source: string, args: readonly Argument[], isPacked: boolean): Promise<readonly unknown[]> {
    const all = ['EVAL', source, '0', ...args.map(String)];
    const primaries = this.#client.masters ?? [];
    return Promise.all(primaries.map((primary) => this.#sendTo(primary, all, isPacked ? AS_BYTES : AS_TEXT)));
  }

  command(name: string, [key, ...args]: readonly string[]): Promise<unknown> {
    if (key === undefined) return this.#send(undefined, [name], AS_TEXT);
    const prefixed = this.keyPrefix + key;
    return this.#send(prefixed, [name, prefixed, ...args], AS_TEXT);
  }

  onReady(listener: () => void): void {
    if (this.#isSentinel) {
      this.#client.on('topology-change', (change) => {
        if ((change as { readonly type?: unknown } | undefined)?.type === 'MASTER_CHANGE') listener();
      });
    } else this.#client.on(this.isCluster ? 'node-ready' : 'ready', listener);
  }

  /** The listener of the client stays: a client that loses its last one does not call those that come later. */
  onError(listener: (error: ClientError) => void): () => void {
    if (!this.#isListening) this.#listen();
    this.#errorListeners.add(listener);
    return () => this.#errorListeners.delete(listener);
  }

  addressOf(slot: number): string | undefined {
    return this.#client.slots?.[slot]?.master.address;
  }

  #listen(): void {
    this.#isListening = true;
    const notify = (error: unknown): void => {
      for (const listener of this.#errorListeners) listener(error as ClientError);
    };
    this.#client.on('error', notify);
    if (this.isCluster) this.#client.on('node-error', notify);
  }

  /** @param key - the first one, by which a cluster finds the server */
  #send(key: string | undefined, command: readonly string[], form: ReplyForm): Promise<unknown> {
    // A pool that is closed would wait for one of its clients.
    if (!this.#client.isOpen) return Promise.reject(new Error('The client is closed'));
    if (this.#isSentinel) return this.#client.sendCommand(false, command, form);
    if (!this.isCluster) return this.#client.sendCommand(command, form);
    return key === undefined ? this.#sendToAny(command, form) : this.#sendInCluster(key, command, form);
  }

  async #sendInCluster(key: string, command: readonly string[], form: ReplyForm): Promise<unknown> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#client.sendCommand(key, false, command, form);
      } catch (error) {
        if (tries === MOST_TRIES || !isOfMovingSlot(error)) throw error;
      }
      await systemClock.sleep(TRY_AGAIN_MS, undefined, { unref: true });
    }
  }

  async #sendToAny(command: readonly string[], form: ReplyForm): Promise<unknown> {
    const [primary] = this.#client.masters ?? [];
    if (!primary) throw new Error('The client knows no server of the cluster');
    return this.#sendTo(primary, command, form);
  }

  async #sendTo(primary: Node, command: readonly string[], form: ReplyForm): Promise<unknown> {
    const client = await this.#client.nodeClient?.(primary);
    return client?.sendCommand(command, form);
  }
}

function isOfMovingSlot(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('TRYAGAIN');
}

import type { IoredisClient } from '@sluice/redis';
import type { SimulatedRedis } from '../../redis/simulated-redis.js';
import type { EventOwner } from '../../world/event-queue.js';
import { PHASE, type WorldEvent } from '../../world/event-queue.js';
import type { Link } from '../../world/link.js';
import type { World } from '../../world/world.js';
import type { ServerNode } from '../servers/server-node.js';
import { type Command, RedisConnection, type Replied } from './redis-connection.js';

/** What the application tells its client. */
interface ClientSettings {
  /** Returns how long it waits before an attempt to connect again. */
  readonly retryMs: () => number;
  readonly connectTimeoutMs: number;
  readonly socketTimeoutMs: number;
}

/** Returns the settings that packages/core/docs/growing.md recommends for so many instances. */
export function recommendedSettings(instances: number, retryMs: () => number): ClientSettings {
  return {
    retryMs,
    connectTimeoutMs: instances < 1000 ? 400 : 1000,
    socketTimeoutMs: instances < 100 ? 400 : 2000,
  };
}

/** The default of ioredis: after so many attempts to connect, waiting commands fail. */
const MOST_RETRIES = 20;

type Listener = (error: Error) => void;

/** Where a client runs, and what it connects to. */
interface ClientPlace {
  readonly world: World;
  readonly owner: EventOwner;
  readonly link: Link;
  readonly node: ServerNode;
  readonly redis: SimulatedRedis;
  readonly settings: ClientSettings;
}

/**
 * A client of Redis that does what ioredis 6 does with the settings that our page recommends: it connects again and again, keeps
 * commands while it is not connected, sends those again that have no reply when the connection breaks, and leaves a server that is
 * silent.
 */
export class SimulatedRedisClient implements IoredisClient {
  readonly isCluster = false;
  status = 'connecting';
  readonly #place: ClientPlace;
  readonly #listeners: { readonly [event: string]: Set<Listener> } = { error: new Set(), ready: new Set() };
  /** Sent, and without a reply. */
  #sent: Command[] = [];
  /** Not sent yet. */
  #waiting: Command[] = [];
  #connection: RedisConnection | undefined;
  #retries = 0;
  #silence: WorldEvent | undefined;

  constructor(place: ClientPlace) {
    this.#place = place;
    this.#connect();
  }

  call(name: string, args: readonly (string | number | Uint8Array)[]): Promise<unknown> {
    return this.#run(name, args, false);
  }

  callBuffer(name: string, args: readonly (string | number | Uint8Array)[]): Promise<unknown> {
    return this.#run(name, args, true);
  }

  on(event: 'error' | 'ready', listener: Listener): void {
    this.#listeners[event]?.add(listener);
  }

  off(event: 'error', listener: Listener): void {
    this.#listeners[event]?.delete(listener);
  }

  /** Ends the client, as an application does at its end. */
  disconnect(): void {
    this.status = 'end';
    this.#connection?.close();
    this.#stopWatching();
    this.#fail(new Error('Connection is closed.'));
  }

  #run(name: string, args: Command['args'], isReplyInBytes: boolean): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const command: Command = { name, args, isReplyInBytes, resolve, reject };
      if (this.status === 'end') reject(new Error('Connection is closed.'));
      else if (this.status === 'ready') this.#send(command);
      else this.#waiting.push(command);
    });
  }

  #send(command: Command): void {
    this.#sent.push(command);
    this.#watch();
    this.#connection?.send(command);
  }

  /** Leaves the server if nothing is heard of it for a while. */
  #watch(): void {
    const { socketTimeoutMs } = this.#place.settings;
    this.#silence ??= this.#later(socketTimeoutMs, () =>
      this.#leave(`Socket timeout. Expecting data, but didn't receive any in ${socketTimeoutMs}ms.`),
    );
  }

  /** One round trip makes a connection, another one asks the server how it is. */
  #connect(): void {
    const { world, link, node, redis, owner, settings } = this.#place;
    this.status = 'connecting';
    if (link.isBroken || !node.isUp) {
      link.toProcess(link.arrivalMs('process'), () => this.#lost(new Error('connect ECONNREFUSED')));
      return;
    }
    const connection = new RedisConnection(link, node, redis, {
      reply: (replied) => this.#replied(replied),
      broken: () => this.#broken(connection),
    });
    this.#connection = connection;
    const late = world.after(
      settings.connectTimeoutMs,
      PHASE.timers,
      () => {
        if (this.#connection !== connection) return;
        connection.close();
        this.#lost(new Error('connect ETIMEDOUT'));
      },
      owner,
    );
    const arrivesMs = link.arrivalMs('server');
    link.toServer(arrivesMs, () => {
      if (!node.isUp) return connection.break();
      link.toProcess(link.arrivalMs('process'), () => {
        if (this.#connection !== connection || this.status !== 'connecting') return;
        this.status = 'connect';
        late.isOver = true;
        this.#sent.unshift({
          name: 'INFO',
          args: [],
          isReplyInBytes: false,
          resolve: () => this.#ready(),
          reject: () => connection.break(),
        });
        this.#watch();
        connection.send({ name: 'INFO', args: [] });
      });
    });
  }

  #ready(): void {
    this.status = 'ready';
    this.#retries = 0;
    this.#connection?.ready();
    const unanswered = this.#sent.splice(0);
    const waiting = this.#waiting.splice(0);
    for (const listener of this.#listeners.ready ?? []) listener(new Error('ready'));
    for (const command of [...unanswered, ...waiting]) this.#send(command);
  }

  #replied(replied: Replied): void {
    this.#stopWatching();
    const command = this.#sent.shift();
    if (this.status === 'ready' && this.#sent.length > 0) {
      this.#watch();
    }
    if (!command) return;
    if ('error' in replied) command.reject(replied.error);
    else command.resolve(decoded(replied.reply, command.isReplyInBytes));
  }

  /** Leaves a server that does not answer. What it was sent may still be done. */
  #leave(reason: string): void {
    this.#silence = undefined;
    const connection = this.#connection;
    if (!connection || this.status === 'end') return;
    connection.close();
    this.#lost(new Error(reason));
  }

  #broken(connection: RedisConnection): void {
    if (this.#connection === connection) this.#lost(new Error('read ECONNRESET'));
  }

  #lost(error: Error): void {
    if (this.status === 'end') return;
    if (this.status === 'connect') this.#sent = this.#sent.filter(({ name }) => name !== 'INFO');
    this.status = 'reconnecting';
    this.#connection = undefined;
    this.#stopWatching();
    for (const listener of [...(this.#listeners.error ?? [])]) listener(error);
    this.#retries += 1;
    if (this.#retries % (MOST_RETRIES + 1) === 0) {
      this.#fail(new Error(`Reached the max retries per request limit (which is ${MOST_RETRIES}).`));
    }
    this.#later(this.#place.settings.retryMs(), () => {
      if (this.status === 'reconnecting') this.#connect();
    });
  }

  #fail(error: Error): void {
    for (const { reject } of [...this.#sent.splice(0), ...this.#waiting.splice(0)]) reject(error);
  }

  #stopWatching(): void {
    if (this.#silence) this.#silence.isOver = true;
    this.#silence = undefined;
  }

  #later(ms: number, run: () => void): WorldEvent {
    return this.#place.world.after(ms, PHASE.timers, run, this.#place.owner);
  }
}

/** Returns a reply as ioredis does: its strings as text, or as bytes. */
function decoded(reply: unknown, isInBytes: boolean): unknown {
  if (typeof reply === 'string') {
    const bytes = Buffer.from(reply, 'latin1');
    return isInBytes ? bytes : bytes.toString('utf8');
  }
  return Array.isArray(reply) ? reply.map((one) => decoded(one, isInBytes)) : reply;
}

import { checkFunction } from '@sluice/core/values';

/** A client of Redis that sources and controls use: one of ioredis or iovalkey, or one of node-redis 4, 5 or 6. */
export type RedisClient = CallingClient | SendingClient;

/**
 * The part of ioredis that sources and controls use: a `Redis` or a `Cluster`. The type is structural, so that two copies of
 * ioredis in one application do not conflict.
 */
export interface CallingClient {
  /** Sends a command, and resolves with its reply. */
  call(command: string, ...args: (string | number)[]): Promise<unknown>;
  /** Makes a second connection, which listens to messages. */
  duplicate(): RedisSubscriber;
}

/** A connection that listens to messages. */
export interface RedisSubscriber {
  /** Listens to the messages of a channel from now on. */
  subscribe(channel: string): Promise<unknown>;
  /** Calls the listener for each message. */
  on(event: 'message', listener: (channel: string, message: string) => void): unknown;
  /** Calls the listener each time the connection is ready. */
  on(event: 'ready', listener: () => void): unknown;
  /** Calls the listener for each error of the connection. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Closes the connection. */
  disconnect(): void;
}

/**
 * The part of node-redis that sources and controls use: a client, a cluster or Sentinel. The type is structural, so that two copies
 * of node-redis in one application do not conflict.
 */
export interface SendingClient {
  /** Whether it is connected, or going to be. */
  readonly isOpen: boolean;
  /** Sends a command. What its first parameters are differs between a client, a cluster and Sentinel. */
  sendCommand(...args: never[]): Promise<unknown>;
  /** Makes a second client, which listens to messages. */
  duplicate(): unknown;
}

/** How sources and controls use any client. */
export interface RedisConnection {
  /** Sends a command about a key or a channel, and resolves with its reply. */
  call(command: string, key: string, ...args: (string | number)[]): Promise<unknown>;
  /**
   * Calls `changed` at each message of a channel, and whenever one may have been missed. A second connection listens, and reconnects by
   * itself. Returns a function that ends that.
   */
  listen(channel: string, changed: () => void): () => void;
}

/**
 * Checks a client, and returns how it is used.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function connectionOf(client: RedisClient): RedisConnection {
  if (isSending(client)) return sendingConnection(client);
  checkFunction((client as Partial<CallingClient> | undefined)?.call, 'client.call');
  checkFunction((client as Partial<CallingClient> | undefined)?.duplicate, 'client.duplicate');
  return callingConnection(client);
}

function callingConnection(client: CallingClient): RedisConnection {
  return {
    call: (command, key, ...args) => client.call(command, key, ...args),
    listen(channel, changed) {
      const subscriber = client.duplicate();
      // Reads say what is wrong with the server. An error without a listener would end the process.
      subscriber.on('error', () => {});
      subscriber.on('message', changed);
      const subscribe = (): void => void subscriber.subscribe(channel).then(changed, () => {});
      // A client without a queue refuses commands before it is connected, and one with a queue gives them up in the end.
      subscriber.on('ready', subscribe);
      // A lazy client connects with its first command.
      subscribe();
      return () => subscriber.disconnect();
    },
  };
}

/** What the forms of node-redis may have. */
interface AnyForm extends SendingClient {
  /** Of a cluster. */
  readonly masters?: unknown;
  /** Of Sentinel. */
  readonly getMasterNode?: unknown;
  sendCommand(...args: readonly unknown[]): Promise<unknown>;
}

/** A second client of node-redis, which listens. Version 4 closes by `disconnect`. */
interface Listener {
  readonly isOpen: boolean;
  on(event: 'error' | 'ready', listener: () => void): unknown;
  connect(): Promise<unknown>;
  subscribe(channel: string, listener: () => void): Promise<unknown>;
  destroy?(): unknown;
  disconnect?(): unknown;
}

function isSending(client: unknown): client is SendingClient {
  const { sendCommand, isOpen, duplicate } = (client ?? {}) as Partial<SendingClient>;
  return typeof sendCommand === 'function' && typeof isOpen === 'boolean' && typeof duplicate === 'function';
}

function sendingConnection(client: SendingClient): RedisConnection {
  const form = client as AnyForm;
  const before = (key: string): readonly unknown[] => {
    if (form.masters !== undefined) return [key, false];
    return form.getMasterNode === undefined ? [] : [false];
  };
  return {
    call: (command, key, ...args) => form.sendCommand(...before(key), [command, key, ...args.map(String)]),
    listen(channel, changed) {
      const own = form.duplicate() as Listener;
      own.on('error', () => {});
      own.on('ready', changed);
      const subscribed = own.connect().then(() => own.subscribe(channel, changed));
      subscribed.then(changed, () => {});
      return () => {
        if (!own.isOpen) return;
        if (own.destroy) own.destroy();
        else own.disconnect?.();
      };
    },
  };
}

import type { Redis } from 'ioredis';

/** Asks one server. A reply that is an error can be an answer, too. */
export class RedisConnection {
  readonly #client: Pick<Redis, 'call'>;

  constructor(client: Pick<Redis, 'call'>) {
    this.#client = client;
  }

  ask(command: string, ...args: readonly string[]): Promise<unknown> {
    return this.#client.call(command, [...args]);
  }

  /**
   * Returns the error that Redis replies with; undefined if it replies with something else.
   *
   * @throws an error of the connection
   */
  async refusal(command: string, ...args: readonly string[]): Promise<string | undefined> {
    try {
      await this.ask(command, ...args);
      return undefined;
    } catch (error) {
      return messageOfReply(error);
    }
  }

  /** Returns what a command replies as text; undefined if the user may not call it, or Redis does not have it. */
  async text(command: string, ...args: readonly string[]): Promise<string | undefined> {
    try {
      return String(await this.ask(command, ...args));
    } catch (error) {
      messageOfReply(error);
      return undefined;
    }
  }

  /** Returns a setting; undefined if the user may not read it, or Redis does not have it. */
  async setting(name: string): Promise<string | undefined> {
    try {
      return valueIn(await this.ask('CONFIG', 'GET', name), name);
    } catch (error) {
      messageOfReply(error);
      return undefined;
    }
  }
}

/** @throws the error, if it is no reply */
function messageOfReply(error: unknown): string {
  if (error instanceof Error && error.name === 'ReplyError') return error.message;
  throw error;
}

/** The second version of the protocol has a list of names and values, the third has a map. */
function valueIn(reply: unknown, name: string): string | undefined {
  const value = Array.isArray(reply)
    ? reply[reply.indexOf(name) + 1]
    : reply instanceof Map
      ? reply.get(name)
      : (reply as Readonly<Record<string, unknown>> | null)?.[name];
  return value === undefined ? undefined : String(value);
}

/** What `INFO` tells, by the names of its fields. */
export class RedisInfo {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get(field: string): string | undefined {
    return new RegExp(`^${field}:(.*?)\\r?$`, 'm').exec(this.#text)?.[1];
  }

  number(field: string): number {
    return Number(this.get(field) ?? 0);
  }
}

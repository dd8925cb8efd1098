import type { Command } from './command.js';
import { integerIn } from './command.js';
import { HASH_COMMANDS } from './commands/hashes.js';
import { KEY_COMMANDS } from './commands/keys.js';
import { SORTED_SET_COMMANDS } from './commands/sorted-sets.js';
import { STRING_COMMANDS } from './commands/strings.js';
import { Keyspace, type Snapshot } from './keyspace.js';
import {
  failWith,
  OK,
  OUT_OF_MEMORY,
  type RawReply,
  type RedisReply,
  RedisReplyError,
  replyOf,
  Status,
  SYNTAX,
} from './reply.js';
import { ScriptHost } from './script-host.js';

export type { Snapshot } from './keyspace.js';
export { type RedisReply, RedisReplyError } from './reply.js';

/** An argument of a command: text is sent as UTF-8, a number as its decimal digits. */
type RedisArgument = string | number | Uint8Array;

/** Chooses the key that a full server throws away, out of all keys in order. */
type ChooseVictim = (keys: readonly string[]) => string | undefined;

const COMMANDS = new Map<string, Command>(
  [...STRING_COMMANDS, ...KEY_COMMANDS, ...HASH_COMMANDS, ...SORTED_SET_COMMANDS].map((command) => [
    command.name,
    command,
  ]),
);

/** Commands about the server itself, with their arities. Scripts cannot call them. */
const SERVER_ARITIES: Readonly<Record<string, number>> = {
  ping: -1,
  echo: 2,
  info: -1,
  config: -2,
  script: -2,
  eval: -3,
  eval_ro: -3,
  evalsha: -3,
  evalsha_ro: -3,
  client: -2,
  select: 2,
  readonly: 1,
  quit: -1,
};

/** What scripts may call of them. */
const FOR_SCRIPTS = ['ping', 'echo', 'info', 'select'];

/**
 * A redis-server 7.0 without a network: it executes each command at once. It runs Lua scripts, lets keys expire by its own clock, can be
 * full, and can lose what it knows. Texts in replies have one character per byte.
 */
export class SimulatedRedis {
  readonly #clock: { nowMs(): number };
  readonly #keyspace = new Keyspace();
  readonly #scripts: ScriptHost;
  #maxMemory = 0;
  #policy = 'noeviction';
  #choose: ChooseVictim = ([first]) => first;
  /** Of the command that is running. */
  #isOutOfMemory = false;
  #hasScriptWritten = false;
  #isReadOnlyScript = false;
  #commands = 0;

  /** @param clock - the server's time in milliseconds since 1970. It may have fractions, and may jump. */
  constructor(clock: { nowMs(): number }) {
    this.#clock = clock;
    this.#scripts = new ScriptHost((name, args) => this.#callForScript(name, args));
  }

  /** How many commands it has executed, with those of scripts. */
  get commands(): number {
    return this.#commands;
  }

  /**
   * Executes a command.
   *
   * @throws RedisReplyError
   */
  execute(command: string, args: readonly RedisArgument[]): RedisReply {
    this.#keyspace.startAt(this.#clock.nowMs());
    this.#commands += 1;
    const name = command.toLowerCase();
    const texts = new Array<string>(args.length);
    for (let i = 0; i < args.length; i += 1) texts[i] = bytesOf(args[i] as RedisArgument);
    return replyOf(this.#run(name, texts, command));
  }

  /** Takes the server's memory: it refuses what needs more, or throws one key away before each command that may write. */
  fill(policy: 'noeviction' | 'evict', choose?: ChooseVictim): void {
    this.#maxMemory = 1;
    this.#policy = policy === 'evict' ? 'allkeys-random' : policy;
    if (choose) this.#choose = choose;
  }

  /** Gives the server memory again. */
  drain(): void {
    this.#maxMemory = 0;
  }

  forgetScripts(): void {
    this.#scripts.forget();
  }

  /** Loses all keys. */
  clear(): void {
    this.#keyspace.clear();
  }

  /** Loses a key. Returns whether there was one. */
  loseKey(key: string): boolean {
    this.#keyspace.startAt(this.#clock.nowMs());
    return this.#keyspace.delete(key);
  }

  /** The keys that have not expired, in order. */
  keys(): string[] {
    this.#keyspace.startAt(this.#clock.nowMs());
    return this.#keyspace.keys();
  }

  /** All keys as they are. Scripts are no part of it: a server that restarts has forgotten them. */
  snapshot(): Snapshot {
    return this.#keyspace.snapshot();
  }

  restore(snapshot: Snapshot): void {
    this.#keyspace.restore(snapshot);
  }

  #run(name: string, args: readonly string[], given: string): RawReply {
    const command = COMMANDS.get(name);
    const arity = command?.arity ?? SERVER_ARITIES[name];
    if (arity === undefined) return failWith(unknownCommand(given, args));
    if (!hasArity(arity, args)) return failWith(`ERR wrong number of arguments for '${name}' command`);
    this.#isOutOfMemory = this.#maxMemory > 0 && !this.#makeRoom();
    if (!command) return this.#runForServer(name, args);
    if (this.#isOutOfMemory && command.needsMemory) return failWith(OUT_OF_MEMORY);
    return command.run(this.#keyspace, args);
  }

  /** Throws a key away, if the policy is to do so. Returns whether there is room now. */
  #makeRoom(): boolean {
    if (this.#policy === 'noeviction') return false;
    const victim = this.#choose(this.#keyspace.keys());
    if (victim !== undefined) this.#keyspace.delete(victim);
    return true;
  }

  #runForServer(name: string, args: readonly string[]): RawReply {
    switch (name) {
      case 'ping':
        return args[0] ?? new Status('PONG');
      case 'echo':
        return args[0] as string;
      case 'info':
        return this.#info();
      case 'config':
        return this.#configure(args);
      case 'script':
        return this.#aboutScripts(args);
      case 'eval':
      case 'eval_ro':
      case 'evalsha':
      case 'evalsha_ro':
        return this.#runScript(name, args);
      default:
        return OK;
    }
  }

  #runScript(name: string, args: readonly string[]): RawReply {
    const count = integerIn(args[1] as string);
    if (count > args.length - 2) return failWith("ERR Number of keys can't be greater than number of args");
    if (count < 0) return failWith("ERR Number of keys can't be negative");
    const [text] = args as [string];
    const hash = name.startsWith('evalsha') ? text : this.#scripts.load(text);
    this.#hasScriptWritten = false;
    this.#isReadOnlyScript = name.endsWith('_ro');
    return this.#scripts.run(hash, args.slice(2, 2 + count), args.slice(2 + count));
  }

  #callForScript(called: string, args: readonly string[]): RawReply {
    this.#commands += 1;
    const command = COMMANDS.get(called) ?? COMMANDS.get(called.toLowerCase());
    if (!command) return this.#callServerForScript(called.toLowerCase(), args);
    if (!hasArity(command.arity, args)) return new RedisReplyError(WRONG_NUMBER);
    if (command.isWrite) {
      if (this.#isReadOnlyScript)
        return new RedisReplyError('ERR Write commands are not allowed from read-only scripts.');
      // A script that has written something can write everything.
      if (!this.#hasScriptWritten && this.#isOutOfMemory && command.needsMemory)
        return new RedisReplyError(OUT_OF_MEMORY);
      this.#hasScriptWritten = true;
    }
    try {
      return command.run(this.#keyspace, args);
    } catch (error) {
      if (error instanceof RedisReplyError) return error;
      throw error;
    }
  }

  #callServerForScript(name: string, args: readonly string[]): RawReply {
    const arity = SERVER_ARITIES[name];
    if (arity === undefined) return new RedisReplyError('ERR Unknown Redis command called from script');
    if (!hasArity(arity, args)) return new RedisReplyError(WRONG_NUMBER);
    if (!FOR_SCRIPTS.includes(name)) return new RedisReplyError('ERR This Redis command is not allowed from script');
    return this.#runForServer(name, args);
  }

  #aboutScripts([verb = '', ...args]: readonly string[]): RawReply {
    switch (verb.toLowerCase()) {
      case 'load':
        return this.#scripts.load(args[0] as string);
      case 'exists':
        return args.map((hash) => Number(this.#scripts.has(hash)));
      case 'flush':
        this.#scripts.forget();
        return OK;
      default:
        return failWith(`ERR unknown subcommand '${verb}'. Try SCRIPT HELP.`);
    }
  }

  /** As much of CONFIG as makes a server full, and lets others ask whether it is. */
  #configure([verb = '', name = '', value]: readonly string[]): RawReply {
    const known: Readonly<Record<string, string>> = {
      maxmemory: String(this.#maxMemory),
      'maxmemory-policy': this.#policy,
    };
    if (verb.toLowerCase() === 'get') return name in known ? [name, known[name] as string] : [];
    if (verb.toLowerCase() !== 'set') return OK;
    if (value === undefined) return failWith("ERR wrong number of arguments for 'config|set' command");
    if (name === 'maxmemory') this.#maxMemory = integerIn(value);
    else if (name === 'maxmemory-policy') this.#policy = value;
    else return failWith(SYNTAX);
    return OK;
  }

  #info(): string {
    return [
      '# Server',
      'redis_version:7.0.15',
      'redis_mode:standalone',
      '# Memory',
      `maxmemory:${this.#maxMemory}`,
      `maxmemory_policy:${this.#policy}`,
      '# Replication',
      'role:master',
      '',
    ].join('\r\n');
  }
}

const WRONG_NUMBER = 'ERR Wrong number of args calling Redis command from script';

/** Whether a command has as many words as it wants; its name is not among the arguments. */
function hasArity(arity: number, args: readonly string[]): boolean {
  const words = args.length + 1;
  return arity < 0 ? words >= -arity : words === arity;
}

function unknownCommand(name: string, args: readonly string[]): string {
  const shown = args.map((text) => `'${text.slice(0, 128)}' `).join('');
  return `ERR unknown command '${name}', with args beginning with: ${shown.slice(0, 128)}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: bytes of ASCII are the same in UTF-8.
const BEYOND_ASCII = /[^\x00-\x7f]/;

function bytesOf(argument: RedisArgument): string {
  if (typeof argument === 'number') return String(argument);
  if (typeof argument === 'string')
    return BEYOND_ASCII.test(argument) ? Buffer.from(argument).toString('latin1') : argument;
  return Buffer.from(argument.buffer, argument.byteOffset, argument.byteLength).toString('latin1');
}

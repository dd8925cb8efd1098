import { createHash } from 'node:crypto';
import { compile, type LuaScript, LuaSyntaxError } from '../lua/compile.js';
import { textOf } from '../lua/library/basic.js';
import { LuaError, raise } from '../lua/lua-error.js';
import { LuaTable } from '../lua/lua-table.js';
import { firstOf, type LuaFunction, type LuaResult, type LuaValue, NONE } from '../lua/lua-value.js';
import { argumentText, luaOf, onOneLine, replyOfLua } from './lua-reply.js';
import { NO_SCRIPT, type RawReply, RedisReplyError } from './reply.js';

/** Runs a command for a script. */
type CallForScript = (name: string, args: string[]) => RawReply;

/** The levels that `redis.log` takes. */
const LOG_LEVELS = { LOG_DEBUG: 0, LOG_VERBOSE: 1, LOG_NOTICE: 2, LOG_WARNING: 3 } as const;

const REPLICATION = { REPL_NONE: 0, REPL_AOF: 1, REPL_SLAVE: 2, REPL_REPLICA: 2, REPL_ALL: 3 } as const;

const VERSION = { REDIS_VERSION: '7.0.15', REDIS_VERSION_NUM: 0x0007000f } as const;

function sha1Of(source: string): string {
  return createHash('sha1').update(source, 'latin1').digest('hex');
}

/** The scripts that a server knows, and what they can do on it. */
export class ScriptHost {
  readonly #scripts = new Map<string, LuaScript>();
  /** The hash of each source that is known. */
  readonly #hashes = new Map<string, string>();
  readonly #redis: LuaTable;

  constructor(call: CallForScript) {
    this.#redis = LuaTable.ofFields({
      ...functionsOver(call),
      ...LOG_LEVELS,
      ...REPLICATION,
      ...VERSION,
    });
    this.#redis.isReadonly = true;
  }

  /**
   * Keeps a script. Returns its hash.
   *
   * @throws RedisReplyError
   */
  load(source: string): string {
    const known = this.#hashes.get(source);
    if (known !== undefined) return known;
    const hash = sha1Of(source);
    this.#scripts.set(hash, compiled(source));
    this.#hashes.set(source, hash);
    return hash;
  }

  has(hash: string): boolean {
    return this.#scripts.has(hash.toLowerCase());
  }

  forget(): void {
    this.#scripts.clear();
    this.#hashes.clear();
  }

  /** Runs the script with a hash. */
  run(hash: string, keys: string[], args: string[]): RawReply {
    const script = this.#scripts.get(hash) ?? this.#scripts.get(hash.toLowerCase());
    if (!script) return new RedisReplyError(NO_SCRIPT);
    try {
      return replyOfLua(firstOf(script(this.#redis, new LuaTable(keys), new LuaTable(args))));
    } catch (error) {
      if (error instanceof RangeError) return failure('stack overflow', undefined, hash);
      if (error instanceof LuaError) return failure(error.value, error.line, hash);
      throw error;
    }
  }
}

function compiled(source: string): LuaScript {
  try {
    return compile(source);
  } catch (error) {
    if (error instanceof LuaSyntaxError)
      throw new RedisReplyError(`ERR Error compiling script (new function): ${error.message}`);
    throw error;
  }
}

/** The error of a script, with where it was raised. */
function failure(value: LuaValue, line: number | undefined, hash: string): RedisReplyError {
  const text = value instanceof LuaTable ? value.getString('err') : `ERR ${textOf(value)}`;
  const place = line === undefined ? '' : ` script: ${hash}, on @user_script:${line}.`;
  return new RedisReplyError(onOneLine(`${typeof text === 'string' ? text : 'ERR unknown error'}${place}`));
}

/** The functions of the table `redis`. */
function functionsOver(call: CallForScript): Readonly<Record<string, LuaFunction>> {
  const answer = (values: readonly LuaValue[]): LuaValue => {
    const [name, ...args] = values;
    if (values.length === 0) return errorTable('ERR Please specify at least one argument for this redis lib call');
    const command = argumentText(name);
    for (let i = 0; i < args.length; i += 1) {
      const text = argumentText(args[i]);
      if (text === undefined) return errorTable('ERR Lua redis lib command arguments must be strings or integers');
      args[i] = text;
    }
    if (command === undefined) return errorTable('ERR Lua redis lib command arguments must be strings or integers');
    return luaOf(call(command, args as string[]));
  };
  return {
    call(...values) {
      const value = answer(values);
      return value instanceof LuaTable && value.getString('err') !== undefined ? raise(value) : value;
    },
    pcall: (...values) => answer(values),
    error_reply: (...values) => errorReply(values),
    status_reply: (...values) => (isOneText(values) ? LuaTable.ofFields({ ok: values[0] }) : WRONG_ARGUMENTS()),
    sha1hex(...values) {
      const text = argumentText(values[0]);
      if (values.length !== 1) return raise(errorTable('ERR wrong number of arguments'));
      return sha1Of(text ?? '');
    },
    log: () => NONE,
    setresp: () => NONE,
    set_repl: () => NONE,
    replicate_commands: () => true,
    breakpoint: () => false,
    debug: () => NONE,
    acl_check_cmd: () => true,
  };
}

const errorTable = (err: string): LuaTable => LuaTable.ofFields({ err });

const WRONG_ARGUMENTS = (): LuaTable => errorTable('ERR wrong number or type of arguments');

const isOneText = (values: readonly LuaValue[]): boolean => values.length === 1 && typeof values[0] === 'string';

/** The first word of the text is the code of the error; without a second one, it is the message. */
function errorReply(values: readonly LuaValue[]): LuaResult {
  if (!isOneText(values)) return WRONG_ARGUMENTS();
  const text = (values[0] as string).replace(/^-/, '');
  const space = text.indexOf(' ');
  const [code, message] = space < 0 ? ['ERR', text] : [text.slice(0, space), text.slice(space + 1)];
  return errorTable(`${code} ${message.replace(/^[\r\n]+|[\r\n]+$/g, '')}`);
}

import type { LuaValue } from './lua-value.js';

/** An error that Lua code raised. It is no `Error`, because most are caught at once, and a stack trace would cost more than the rest. */
export class LuaError {
  readonly value: LuaValue;
  /** The line of the script that was running; undefined if there was none. */
  readonly line: number | undefined;

  constructor(value: LuaValue, line: number | undefined) {
    this.value = value;
    this.line = line;
  }
}

/** The name that Redis gives to all scripts. */
const CHUNK_NAME = 'user_script';

/** Begins the names of compiled scripts, by which they are found on the stack. */
export const SOURCE_PREFIX = 'lua:';

/** The lines that `new Function` puts before a body. */
const LINES_BEFORE = 2;

/** The name of the function of Lua's `pcall`, between which and a library function there is no Lua code. */
const PROTECTED_CALL = 'luaPcall';

/** The lines of Lua functions that are running, the innermost first; undefined for a protected call. */
function runningLines(): readonly (number | undefined)[] {
  const { prepareStackTrace, stackTraceLimit } = Error;
  const holder: { stack?: unknown } = {};
  try {
    Error.stackTraceLimit = 40;
    Error.prepareStackTrace = (_, sites) => sites;
    Error.captureStackTrace(holder);
    // The stack is made when it is read.
    const sites = holder.stack as readonly NodeJS.CallSite[];
    return sites.flatMap((site) => {
      if (site.getFunctionName() === PROTECTED_CALL) return [undefined];
      const isLua = site.getScriptNameOrSourceURL()?.startsWith(SOURCE_PREFIX);
      return isLua ? [(site.getLineNumber() ?? 0) - LINES_BEFORE] : [];
    });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    if (prepareStackTrace) Error.prepareStackTrace = prepareStackTrace;
    else Reflect.deleteProperty(Error, 'prepareStackTrace');
  }
}

const innermost = (lines: readonly (number | undefined)[]): number | undefined =>
  lines.find((line) => line !== undefined);

/** Throws the error of an operation or of a library function: a text that begins with the line. */
export function fail(message: string): never {
  const lines = runningLines();
  throw new LuaError(positioned(message, lines[0]), innermost(lines));
}

/** Throws the error of an argument of a library function. */
export function failArgument(position: number, name: string, problem: string): never {
  const lines = runningLines();
  const known = lines[0] === undefined ? '?' : name;
  const message = `bad argument #${position} to '${known}' (${problem})`;
  throw new LuaError(positioned(message, lines[0]), innermost(lines));
}

/** Throws a value as it is. */
export function raise(value: LuaValue): never {
  throw new LuaError(value, innermost(runningLines()));
}

/** Throws as Lua's `error` does: a text at level 1 begins with the line of the call, and one at level 2 with that of the call before. */
export function raiseAt(value: LuaValue, level: number): never {
  const lines = runningLines();
  const hasPosition = level > 0 && (typeof value === 'string' || typeof value === 'number');
  throw new LuaError(hasPosition ? positioned(String(value), lines[level - 1]) : value, innermost(lines));
}

function positioned(message: string, line: number | undefined): string {
  return line === undefined ? message : `${CHUNK_NAME}:${line}: ${message}`;
}

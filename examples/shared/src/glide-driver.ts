import type { RedisDriver } from '@sluice/redis';
import { ClosingError, Decoder, type GlideClient } from '@valkey/valkey-glide';

/** The codes of errors that GLIDE has other names for. */
const CODES: Readonly<Record<string, string>> = {
  NoScriptError: 'NOSCRIPT',
  ReadOnly: 'READONLY',
  PermissionDenied: 'NOPERM',
  ResponseError: 'ERR',
};

/** Drives a client of Valkey GLIDE 2, of one server. It is as good as the client: make one for each. */
export class GlideDriver implements RedisDriver {
  /** GLIDE does not say whether it is connected. A call that it cannot send waits in it. */
  status: 'ready' | 'end' = 'ready';
  readonly #client: GlideClient;

  constructor(client: GlideClient) {
    this.#client = client;
  }

  runScript(
    command: 'eval' | 'evalsha',
    script: string,
    keys: readonly string[],
    args: readonly (string | number)[],
    isPacked: boolean,
  ): Promise<unknown> {
    const all = [command, script, `${keys.length}`, ...keys, ...args.map(String)];
    return this.#send(all, isPacked ? Decoder.Bytes : Decoder.String);
  }

  command(name: string, args: readonly string[]): Promise<unknown> {
    return this.#send([name, ...args], Decoder.String);
  }

  async #send(command: string[], decoder: Decoder): Promise<unknown> {
    try {
      return await this.#client.customCommand(command, { decoder });
    } catch (error) {
      if (error instanceof ClosingError) this.status = 'end';
      throw asOfRedis(error);
    }
  }
}

/** Returns the error with the code of Redis at its beginning, where a store looks for it. */
function asOfRedis(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const [, code, text] = /^(?:An error was signalled by the server: - )?(\w+): (.*)$/s.exec(error.message) ?? [];
  return code === undefined ? error : new Error(`${CODES[code] ?? code} ${text}`, { cause: error });
}

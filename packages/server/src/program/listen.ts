import { isIPv6 } from 'node:net';
import type { Listener } from '../listener.js';

/** A listener, and the address that it binds to. */
export interface Binding {
  readonly listener: Listener;
  readonly host: string;
  readonly port: number;
  /** The flag of the port, for messages. */
  readonly flag: string;
}

/** A port that cannot be listened on. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/**
 * Binds all listeners, and returns their ports in the same order.
 *
 * @throws ListenError that names every port that cannot be had. None of them listens then.
 */
export async function listenOnAll(bindings: readonly Binding[]): Promise<readonly number[]> {
  const results = await Promise.allSettled(bindings.map(({ listener, host, port }) => listener.listen(host, port)));
  const problems = results.flatMap((result, i) =>
    result.status === 'rejected' ? [sentenceOf(bindings[i] as Binding, result.reason)] : [],
  );
  if (problems.length === 0) return results.map((result) => (result as PromiseFulfilledResult<number>).value);
  await Promise.all(bindings.map(({ listener }) => listener.close(0)));
  throw new ListenError(problems.join('\n'));
}

/** The meaning and the cure of common errors. */
const CURES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another program: stop that one, or choose another port',
  EACCES: 'needs a right that this process does not have: choose a port from 1024',
  EADDRNOTAVAIL: 'is no address of this machine',
  ENOTFOUND: 'is not known as the name of a host',
};

function sentenceOf({ host, port, flag }: Binding, error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const address = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const cure = CURES[code];
  return cure === undefined ? `${flag}: ${address}: ${message}` : `${flag}: ${address} ${cure} (${code})`;
}

import { isIPv6 } from 'node:net';
import type { Listener } from '../listener.js';

/** A listener, and where it has to listen. */
export interface Place {
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
 * Listens on all places, and returns their ports in the same order.
 *
 * @throws ListenError that names every port that cannot be had. None of them listens then.
 */
export async function listenOnAll(places: readonly Place[]): Promise<readonly number[]> {
  const results = await Promise.allSettled(places.map(({ listener, host, port }) => listener.listen(host, port)));
  const problems = results.flatMap((result, i) =>
    result.status === 'rejected' ? [sentenceOf(places[i] as Place, result.reason)] : [],
  );
  if (problems.length === 0) return results.map((result) => (result as PromiseFulfilledResult<number>).value);
  await Promise.all(places.map(({ listener }) => listener.close(0)));
  throw new ListenError(problems.join('\n'));
}

/** What people can do about the errors that they meet. */
const CURES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another program: stop that one, or choose another port',
  EACCES: 'needs a right that this process does not have: choose a port from 1024',
  EADDRNOTAVAIL: 'is no address of this machine',
  ENOTFOUND: 'is not known as the name of a host',
};

function sentenceOf({ host, port, flag }: Place, error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const address = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const cure = CURES[code];
  return cure === undefined ? `${flag}: ${address}: ${message}` : `${flag}: ${address} ${cure} (${code})`;
}

import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { InputProblem } from '../http/input-problem.js';

/**
 * Returns the function that refuses requests which a web page has made a browser send.
 *
 * A page of another site can have its own name lead to this machine (DNS rebinding). Then `Host` has that name, so only addresses,
 * `localhost` and the listed names are allowed: no page can be opened under an address that is not its own. A page that sends a
 * request to another site names itself in `Origin`, or in `Sec-Fetch-Site`.
 *
 * @param hosts - further names that `Host` may have, without a port
 * @throws InputProblem 421 for a foreign name, 403 for a foreign page
 */
export function senderCheck(hosts: readonly string[]): (message: IncomingMessage) => void {
  const names = new Set(['localhost', ...hosts.map((host) => host.toLowerCase())]);
  return ({ headers }) => {
    const { host = '', origin } = headers;
    const name = nameIn(host);
    if (isIP(name) === 0 && !names.has(name)) {
      throw new InputProblem(421, [
        { header: 'Host', detail: 'must be an address, localhost or a name that the service was told' },
      ]);
    }
    const site = headers['sec-fetch-site'];
    const isForeign =
      (origin !== undefined && origin !== `http://${host}`) || site === 'cross-site' || site === 'same-site';
    if (isForeign) throw new InputProblem(403, [{ header: 'Origin', detail: 'must not be another site' }]);
  };
}

/** Returns the name or the address in a `Host` field, without the port. */
function nameIn(host: string): string {
  const [, address, name = ''] = /^(?:\[([0-9a-f:.]+)\]|([^:]*))(?::\d{1,5})?$/i.exec(host) ?? [];
  return (address ?? name).toLowerCase();
}

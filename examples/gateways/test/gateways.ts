import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startCaddy, startHaproxy, startNginx } from '@sluice/test-kit/debian/balancers';
import type { ServerProgram } from '@sluice/test-kit/debian/server-program';
import { freePort } from '@sluice/test-kit/free-port';

/** How a file is to be started. Everything else stays as it is shipped. */
export interface GatewayOptions {
  /** The ports of the instances of the service, and of the application. */
  readonly services: readonly number[];
  readonly app: number;
  /** Changes the one line that the file names. */
  readonly isFailClosed?: boolean;
  /** Waits 2 s instead of 100 ms, so that a slow machine gets a decision. */
  readonly isPatient?: boolean;
  /** How many files and connections it may have open. */
  readonly mostFiles?: number;
  /** Where nginx remembers refusals. Default: in a folder of its own. */
  readonly cacheFolder?: string;
}

/** A balancer that runs with the shipped file. */
export interface Gateway {
  readonly server: ServerProgram;
  /** How many requests its own log says it let pass without a decision. */
  failOpens(): number;
}

export type GatewayName = 'nginx' | 'HAProxy' | 'Caddy';

type Edit = readonly [shipped: string, own: string];

/** The text of a shipped file, with changes. A change whose text is not there is a mistake of the test. */
function shipped(path: string, edits: readonly Edit[]): string {
  let text = readFileSync(join(__dirname, '..', path), 'utf8');
  for (const [before, after] of edits) {
    if (!text.includes(before)) throw new Error(`${path} has no ${JSON.stringify(before)}`);
    text = text.replaceAll(before, after);
  }
  return text;
}

const addresses = (ports: readonly number[]): string[] => ports.map((port) => `127.0.0.1:${port}`);

async function nginx({
  services,
  app,
  isFailClosed,
  isPatient,
  mostFiles,
  cacheFolder = 'cache',
}: GatewayOptions): Promise<Gateway> {
  const servers = addresses(services).map((address) => `server ${address};`);
  const server = await startNginx(
    ({ port }) =>
      shipped('nginx/sluice.conf', [
        ['listen 8000;', `listen 127.0.0.1:${port};`],
        ['server sluice:8080;', servers.join(' ')],
        ['server app:3000;', `server 127.0.0.1:${app};`],
        ['/dev/shm/sluice ', `${cacheFolder} `],
        ['/var/log/nginx/', ''],
        ...(isFailClosed ? [['return 204;', 'return 500;'] as const] : []),
        ...(isPatient ? ([' 50ms;', ' 100ms;'].map((time) => [time, ' 2s;']) as Edit[]) : []),
      ]),
    mostFiles,
  );
  const log = join(server.folder, 'undecided.log');
  return { server, failOpens: () => linesOf(readFileSync(log, 'utf8'), /" 204 /) };
}

async function haproxy({ services, app, isFailClosed, isPatient, mostFiles }: GatewayOptions): Promise<Gateway> {
  const own = `127.0.0.1:${await freePort()}`;
  const servers = addresses(services).map((address, i) => `server sluice-${i} ${address}`);
  const server = await startHaproxy(
    ({ port }) => ({
      'haproxy.cfg': shipped('haproxy/haproxy.cfg', [
        ['bind :8000', `bind 127.0.0.1:${port}`],
        ['127.0.0.1:8079', own],
        ['/usr/local/etc/haproxy/', ''],
        ['server sluice sluice:8080 # a "server" for each instance', servers.join('\n  ')],
        ['app app:3000', `app 127.0.0.1:${app}`],
        ...(isFailClosed ? [['lua.sluice api open', 'lua.sluice api closed'] as const] : []),
        ...(mostFiles === undefined ? [] : (connections(mostFiles) satisfies Edit[])),
        ...(isPatient ? (['connect 50ms', 'server 100ms', 'check 200ms'].map(patient) satisfies Edit[]) : []),
      ]),
      'sluice.lua': shipped('haproxy/sluice.lua', [
        ['127.0.0.1:8079', own],
        // Without a free connection it waits as long as this, for nothing.
        ...(isPatient && mostFiles === undefined ? [['timeout = 500', 'timeout = 8000'] as const] : []),
      ]),
    }),
    mostFiles,
  );
  return { server, failOpens: () => linesOf(server.log, /^sluice: .*: passed$/) };
}

/** The numbers of connections, in the proportion that is shipped: HAProxy does not start where they are above what it may open. */
const connections = (mostFiles: number): Edit[] => [
  ['maxconn 6000', `maxconn ${Math.floor(mostFiles / 3)}`],
  ['maxconn 2000', `maxconn ${Math.floor(mostFiles / 9)}`],
];

const patient = (time: string): Edit => [time, `${time.split(' ')[0]} 2s`];

async function caddy({ services, app, isFailClosed, isPatient, mostFiles }: GatewayOptions): Promise<Gateway> {
  const server = await startCaddy(
    ({ port }) =>
      shipped('caddy/Caddyfile', [
        [':8000 {', `:${port} {\n\tbind 127.0.0.1`],
        ['reverse_proxy sluice:8080', `reverse_proxy ${addresses(services).join(' ')}`],
        ['app:3000', `127.0.0.1:${app}`],
        ...(isFailClosed ? [['# FAIL-CLOSED: import refuse\n\t\t\timport app', 'import refuse'] as const] : []),
        ...(isPatient ? (['dial_timeout 50ms', 'response_header_timeout 100ms'].map(patient) satisfies Edit[]) : []),
      ]),
    mostFiles,
  );
  return { server, failOpens: () => linesOf(server.log, /"logger":"http.log.error"/) };
}

const linesOf = (text: string, pattern: RegExp): number => text.split('\n').filter((line) => pattern.test(line)).length;

/** Starts each balancer with the file that is shipped for it. */
export const GATEWAYS: Readonly<Record<GatewayName, (options: GatewayOptions) => Promise<Gateway>>> = {
  nginx,
  HAProxy: haproxy,
  Caddy: caddy,
};

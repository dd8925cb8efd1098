import { afterEach, describe, expect, it } from '@jest/globals';
import { startCaddy, startHaproxy, startNginx } from '@sluice/test-kit/debian/balancers';
import { debianProgram } from '@sluice/test-kit/debian/debian-program';
import type { OwnPlace, ServerProgram } from '@sluice/test-kit/debian/server-program';

for (const program of ['nginx', 'haproxy', 'caddy'] as const) debianProgram(program);

const HAPROXY = ({ port }: OwnPlace): string => `
defaults
  mode http
  timeout client 5s
  timeout connect 5s
  timeout server 5s
frontend web
  bind 127.0.0.1:${port}
  http-request return status 200 content-type text/plain string hello
`;

describe('The balancers of the tests', () => {
  let server: ServerProgram | undefined;

  afterEach(() => server?.stop());

  it.each<[string, () => Promise<ServerProgram>]>([
    ['nginx', () => startNginx(({ port }) => `server { listen 127.0.0.1:${port}; return 200 hello; }`)],
    ['HAProxy', () => startHaproxy((own) => ({ 'haproxy.cfg': HAPROXY(own) }))],
    ['Caddy', () => startCaddy(({ port }) => `:${port} {\n\tbind 127.0.0.1\n\trespond hello\n}\n`)],
  ])('%s answers as soon as it is started', async (_name, start) => {
    server = await start();
    expect(await (await fetch(server.url)).text()).toBe('hello');
  });
});

import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { fromHttp } from '@sluice/config';
import { ManualClock } from '@sluice/core/testing';

const TEXT = 'version: 1\n';
const servers: Server[] = [];

/** Serves on loopback, and returns the address. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

const { signal } = new AbortController();

describe('fromHttp', () => {
  it('reads the text, and asks next time whether it has changed', async () => {
    let [etag, text] = ['"one"', TEXT];
    const asked: (string | undefined)[] = [];
    const statuses: number[] = [];
    const url = await serve((req, res) => {
      asked.push(req.headers['if-none-match']);
      const status = req.headers['if-none-match'] === etag ? 304 : 200;
      statuses.push(status);
      res.writeHead(status, { etag }).end(status === 200 ? text : undefined);
    });
    const source = fromHttp(`${url}/sluice.yaml?token=secret`);
    const first = await source.read(signal);
    expect(first).toEqual({ text, origin: `${url}/sluice.yaml`, revision: expect.stringMatching(/^[0-9a-f]{12}$/) });
    expect(await source.read(signal)).toEqual(first);
    [etag, text] = ['"two"', 'version: 2\n'];
    expect((await source.read(signal)).text).toBe(text);
    expect(asked).toEqual([undefined, '"one"', '"one"']);
    expect(statuses).toEqual([200, 304, 200]);
  });

  it('reads again without an ETag', async () => {
    const asked: unknown[] = [];
    const url = await serve((req, res) => {
      asked.push(req.headers['if-none-match']);
      res.end(TEXT);
    });
    const source = fromHttp(url);
    await source.read(signal);
    await source.read(signal);
    expect(asked).toEqual([undefined, undefined]);
  });

  it.each<[string, RequestListener]>([
    ['nothing', () => {}],
    ['half of a text', (_, res) => res.writeHead(200, { 'content-length': 99 }).write(TEXT)],
  ])('fails if the server sends %s for a long time', async (_, listener) => {
    const source = fromHttp(await serve(listener), { timeout: '100ms' });
    await expect(source.read(signal)).rejects.toThrow('did not answer within 100 ms (SLUICE_SOURCE)');
  });

  it.each<[string, RequestListener, RegExp]>([
    ['an error', (_, res) => res.writeHead(500).end(), /answered with status 500/],
    ['304 without a text before', (_, res) => res.writeHead(304).end(), /answered with status 304/],
    ['no UTF-8', (_, res) => res.end(Buffer.from([0xff])), /is no UTF-8 text/],
    [
      'half of a text, and a broken connection',
      (_, res) => res.writeHead(200, { 'content-length': 99 }).write(TEXT, () => res.destroy()),
      /broke off/,
    ],
    ['redirects without end', (_, res) => res.writeHead(302, { location: '/' }).end(), /redirects more than 3 times/],
    [
      'a redirect to another machine without TLS',
      (_, res) => res.writeHead(302, { location: 'http://192.0.2.1/x' }).end(),
      /redirects to http:\/\/192\.0\.2\.1\/x, which is neither https: nor on this machine/,
    ],
    [
      'a redirect with a password',
      (_, res) => res.writeHead(302, { location: 'https://ann:sesame@config.example/x' }).end(),
      /redirects to https:\/\/config\.example\/x with a name and a password \(SLUICE_SOURCE\)$/,
    ],
    ['a redirect to nowhere', (_, res) => res.writeHead(302).end(), /redirects to no address|redirects more than/],
  ])('fails if the server answers with %s', async (_, listener, message) => {
    const source = fromHttp(await serve(listener), { timeout: '1m' });
    await expect(source.read(signal)).rejects.toThrow(message);
    await expect(source.read(signal)).rejects.toMatchObject({ code: 'SLUICE_SOURCE' });
  });

  it('fails if nobody listens', async () => {
    const url = await serve(() => {});
    servers.splice(0).forEach((server) => void server.close());
    await expect(fromHttp(url).read(signal)).rejects.toThrow(/cannot be read: .*ECONNREFUSED/);
  });

  it('fails if the text is larger than anybody writes, whatever the server says', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 0x20);
    let sent = 0;
    const url = await serve((_, res) => {
      // In Node.js 26, writes fail before the response is destroyed, so it would never get to that.
      const more = (error?: Error | null): void => {
        sent += 1;
        if (!error && !res.destroyed) res.write(chunk, more);
      };
      more();
    });
    await expect(fromHttp(url, { timeout: '1m' }).read(signal)).rejects.toThrow('is larger than 16 MiB');
    expect(sent).toBeLessThan(64);
  });

  it('follows redirects, and sends its header fields to its own origin alone', async () => {
    const seen: IncomingHttpHeaders[] = [];
    const other = await serve((req, res) => {
      seen.push(req.headers);
      res.end(TEXT);
    });
    const url = await serve((req, res) => {
      seen.push(req.headers);
      res.writeHead(307, { location: req.url === '/' ? '/again' : other }).end();
    });
    const source = fromHttp(url, { headers: { authorization: 'Bearer secret' } });
    expect((await source.read(signal)).text).toBe(TEXT);
    expect(seen.map(({ authorization }) => authorization)).toEqual(['Bearer secret', 'Bearer secret', undefined]);
  });

  it('yields at each poll, until the signal aborts', async () => {
    const clock = new ManualClock();
    const end = new AbortController();
    let yields = 0;
    const loop = (async () => {
      for await (const _ of fromHttp('https://config.example/', { clock, poll: '3s' }).changes(end.signal)) yields += 1;
    })();
    for (let i = 0; i < 2; i += 1) {
      await clock.untilSleeping(1);
      clock.advance('3s');
    }
    await clock.untilSleeping(1);
    end.abort();
    await loop;
    expect(yields).toBe(2);
  });

  it.each(['http://config.example/', 'ftp://127.0.0.1/', 'file:///etc/sluice.yaml', 'sluice.yaml', ''])(
    'refuses the address %s',
    (url) => {
      expect(() => fromHttp(url)).toThrow('url must be an https: address, or an http: address of this machine');
    },
  );

  it.each<[what: string, make: () => unknown, message: string]>([
    [
      'a password in the address',
      () => fromHttp('https://ann:sesame@config.example/'),
      'url must not have a name and a password: use headers (SLUICE_OPTION)',
    ],
    [
      'a password in an address without TLS',
      () => fromHttp('http://ann:sesame@config.example/'),
      'url must not have a name and a password: use headers (SLUICE_OPTION)',
    ],
    [
      'a header field of two lines',
      () => fromHttp('https://config.example/', { headers: { authorization: 'Bearer sesame\nx: y' } }),
      'headers must be names of header fields with values that a request can have (SLUICE_OPTION)',
    ],
  ])('refuses %s, and does not repeat it', (_, make, message) => {
    expect(make).toThrow(new Error(message));
  });

  it.each(['https://config.example/', 'http://localhost/', 'http://127.1.2.3/', 'http://[::1]:8080/'])(
    'takes the address %s',
    (url) => {
      expect(() => fromHttp(url)).not.toThrow();
    },
  );
});

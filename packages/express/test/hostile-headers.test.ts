import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { byHeader, rateLimit, slidingWindow } from '../src/index.js';
import { onEveryExpress } from './every-express.js';

const TEN_MEGABYTES = 10_000_000;

onEveryExpress((express) => {
  let server: Server;
  beforeEach(async () => {
    const app = express();
    app.set('trust proxy', 'loopback');
    app.use(
      rateLimit({
        limits: [
          { name: 'key', limit: 2, window: '1m', keyGenerator: byHeader('x-api-key') },
          { name: 'prototype', limit: slidingWindow({ limit: 50, window: '1m' }), keyGenerator: byHeader('__proto__') },
          { name: 'address', limit: 50, window: '1m' },
        ],
      }),
    );
    app.get('/', (_req, res) => void res.send('ok'));
    server = createServer({ maxHeaderSize: 2 * TEN_MEGABYTES }, app).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  /** The status and body of a request with such a header, sent byte by byte as it stands. */
  const answerTo = async (header: string): Promise<string> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(Buffer.from(`GET / HTTP/1.1\r\nHost: sluice\r\nConnection: close\r\n${header}\r\n\r\n`, 'latin1'));
    const answer = await text(socket);
    return `${answer.slice(9, 12)} ${answer.slice(answer.indexOf('\r\n\r\n') + 4)}`;
  };

  describe('A hostile header', () => {
    const huge = 'x'.repeat(TEN_MEGABYTES);
    it.each([
      ['of 10 MB', `X-Api-Key: ${huge}`],
      ['of 10 MB in the place of an address', `X-Forwarded-For: ${huge}`],
      ['of many addresses', `X-Forwarded-For: ${'203.0.113.7, '.repeat(50_000)}203.0.113.8`],
      ['__proto__', 'X-Api-Key: __proto__'],
      ['constructor', 'X-Api-Key: constructor'],
      ['named __proto__', '__proto__: x'],
      ['named constructor', 'constructor: x'],
      ['of a byte above ASCII', 'X-Api-Key: \x80\xff\xc0'],
      ['of a tab', 'X-Api-Key: a\tb'],
      ['of a NUL in the place of an address', 'X-Forwarded-For: %00\t'],
    ])(
      '%s gets a normal response, and is counted',
      async (_, header) => {
        expect(await answerTo(header)).toBe('200 ok');
        expect(await answerTo(header)).toBe('200 ok');
        expect(await answerTo('X-Api-Key: another')).toBe('200 ok');
        expect(await answerTo(header)).toMatch(/^429 \{/);
      },
      60_000,
    );

    it.each(['\x00', '\x01', '\x1b', '\x7f'])(
      'with the control character %j does not stop the server',
      async (character) => {
        expect(await answerTo(`X-Api-Key: a${character}b`)).toMatch(/^(200 ok|400 )/);
        expect(await answerTo('X-Api-Key: another')).toBe('200 ok');
      },
    );
  });
});

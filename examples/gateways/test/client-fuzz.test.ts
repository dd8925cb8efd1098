import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Dice } from '../../../packages/server/test/fuzz/dice.js';
import { anyRequest, bytesOf, type ClientRequest, LONG_PARTS } from './client-requests.js';
import type { Gateway, GatewayName } from './gateways.js';
import { IS_FULL, NAMES, Setup } from './setup.js';

/** Both limits are part of each answer, and the first one is spent for every request of this file. */
const POLICIES = `
version: 1
keys: { customer: { header: x-api-key } }
policies:
  api:
    limits:
      - { name: address, algorithm: fixed-window, limit: 1, window: 1d }
      - { name: customer, key: customer, limit: 100, window: 1m }
`;

/** The longest field that each balancer takes as it is shipped, and some more. */
const MOST_BYTES: Readonly<Record<GatewayName, number>> = { nginx: 9000, HAProxy: 17_000, Caddy: 22_000 };

const REQUESTS = IS_FULL ? 30_000 : 600;
const STEP_BYTES = IS_FULL ? 16 : 250;
const CONNECTIONS = 8;

/** A request that is never complete gets no answer. */
const SILENT_MS = IS_FULL ? 1000 : 400;

/**
 * Sends a request on a connection of its own. Resolves with what comes back, up to the end of the fields; of a second request in the
 * body, too.
 */
function answerTo(request: ClientRequest, port: number): Promise<string> {
  const answers = request.body.includes('HTTP/1.1') ? 2 : 1;
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytesOf(request)));
    // The server may answer and cut off a request before all of it was sent.
    socket.setEncoding('latin1').on('error', () => {});
    socket.on('data', (text) => {
      answer = (answer + text).replace(/^HTTP\/1.1 100 .*\r\n(.+\r\n)*\r\n/, '');
      const heads = answer.match(/HTTP\/1\.1 \d{3} (?:.*\r\n)+\r\n/g) ?? [];
      if (heads.length >= answers) socket.destroy();
    });
    socket.setTimeout(SILENT_MS, () => socket.destroy());
    socket.on('close', () => resolve(answer));
  });
}

/** What a request is, for whoever has to find out why it passed. */
function shown({ method, target, version, fields, body }: ClientRequest): string {
  const cut = (text: string): string =>
    JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}… ${text.length}` : text);
  return [method, target, version, ...fields.flat(), body].map(cut).join(' ');
}

describe('Whatever a client sends when its limit is spent', () => {
  const setup = new Setup();
  let service = 0;

  beforeAll(async () => {
    const [instance] = await setup.services(POLICIES);
    service = instance?.port ?? 0;
  });

  describe.each(NAMES)('%s', (name) => {
    let gateway: Gateway;

    beforeAll(async () => {
      // Two, so that a balancer can take one for dead.
      gateway = await setup.gateway(name, [service, service], { isPatient: true });
      const first = setup.client(gateway.server.url);
      for (let status = 200; status !== 429; status = (await first.ask()).status);
      setup.application.forget();
    });

    /** Sends all of them. Returns those during which the application was asked, and how many were refused by a decision. */
    async function send(requests: Iterator<ClientRequest>): Promise<{ passed: string[]; refused: number }> {
      const passed: string[] = [];
      let refused = 0;
      const one = async (): Promise<void> => {
        for (let next = requests.next(); !next.done; next = requests.next()) {
          const { asked } = setup.application;
          const answer = await answerTo(next.value, gateway.server.port);
          if (answer.startsWith('HTTP/1.1 429')) refused += 1;
          if (setup.application.asked > asked && passed.length < 10) passed.push(shown(next.value));
        }
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, one));
      return { passed, refused };
    }

    it('never passes with a part of any length', async () => {
      function* requests(): Iterator<ClientRequest> {
        for (let bytes = 1; bytes <= MOST_BYTES[name]; bytes += STEP_BYTES) {
          for (const request of Object.values(LONG_PARTS)) yield request('k'.repeat(bytes));
        }
      }
      expect(await send(requests())).toMatchObject({ passed: [] });
      expect({ asked: setup.application.asked, opened: gateway.failOpens() }).toEqual({ asked: 0, opened: 0 });
    });

    it('never passes with parts that nobody expects', async () => {
      const dice = new Dice(Number(process.env.SLUICE_SEED ?? 20_261_124));
      function* requests(): Iterator<ClientRequest> {
        for (let i = 0; i < REQUESTS; i += 1) yield anyRequest(dice, MOST_BYTES[name]);
      }
      const { passed, refused } = await send(requests());
      expect({ passed, asked: setup.application.asked, opened: gateway.failOpens() }).toEqual({
        passed: [],
        asked: 0,
        opened: 0,
      });
      // Otherwise it shows nothing.
      expect(refused).toBeGreaterThan(REQUESTS / 10);
      if (IS_FULL)
        process.stdout.write(
          `gateways: ${name}: ${REQUESTS} requests of a hostile client, ${refused} decided, 0 passed\n`,
        );
    });
  });
});

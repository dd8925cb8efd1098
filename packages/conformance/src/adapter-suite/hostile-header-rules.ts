import { byHeader } from '@sluice/core/http';
import * as assert from '../assert.js';
import { type AdapterFixture, OK, type Rules } from './adapter-fixture.js';

/** Sends a request with this raw line in its head. Returns the status. */
async function statusOf(fixture: AdapterFixture, line: string): Promise<number> {
  const { answers } = fixture.client.write(`GET / HTTP/1.1\r\nHost: sluice\r\nConnection: close\r\n${line}\r\n\r\n`);
  return Number((await answers).slice(9, 12));
}

/** Serves a limit by a header field that anybody can send, behind a trusted proxy. */
function serve(fixture: AdapterFixture): Promise<void> {
  return fixture.serve(
    (tools) => {
      const keyBy = (name: string) => {
        const key = byHeader(name);
        return (...args: readonly unknown[]) => key(tools.requestOf(args));
      };
      const limits = [
        { name: 'key', limit: 2, window: '1m', keyGenerator: keyBy('x-api-key') },
        { name: 'prototype', limit: 50, window: '1m', keyGenerator: keyBy('__proto__') },
        { name: 'address', limit: 50, window: '1m' },
      ] as const;
      return [{ limits }];
    },
    () => OK,
    { trustsLoopback: true },
  );
}

const HOSTILE: Readonly<Record<string, string>> = {
  'as long as they may be': `X-Api-Key: ${'x'.repeat(15_000)}`,
  'of no address': `X-Forwarded-For: ${'x'.repeat(15_000)}`,
  'of many addresses': `X-Forwarded-For: ${'203.0.113.7, '.repeat(1000)}203.0.113.8`,
  'of __proto__': 'X-Api-Key: __proto__',
  'of constructor': 'X-Api-Key: constructor',
  'named __proto__': '__proto__: x',
  'named constructor': 'constructor: x',
  'of bytes above ASCII': 'X-Api-Key: \x80\xff\xc0',
  'of a tab': 'X-Api-Key: a\tb',
};

/** Header fields of a malicious client. */
export const hostileHeaderRules: Rules = {
  ...Object.fromEntries(
    Object.entries(HOSTILE).map(([what, line]) => [
      `counts requests with fields ${what} like any other`,
      async (fixture) => {
        await serve(fixture);
        for (const status of [200, 200, 429]) assert.equal(await statusOf(fixture, line), status);
        assert.equal(await statusOf(fixture, 'X-Api-Key: another'), 200);
      },
    ]),
  ),

  'works on after control characters': async (fixture) => {
    await serve(fixture);
    for (const character of ['\x00', '\x01', '\x1b', '\x7f']) {
      const status = await statusOf(fixture, `X-Api-Key: a${character}b`);
      assert.ok([200, 400].includes(status), `admitted, or refused by the server: ${status}`);
    }
    assert.equal(await statusOf(fixture, 'X-Api-Key: another'), 200);
  },
};

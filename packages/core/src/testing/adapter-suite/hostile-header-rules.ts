import assert from 'node:assert/strict';
import { byHeader } from '../../http/keys/key-generators.js';
import { OK, type Rules, type Stage } from './stage.js';

/** The status of a request with such a line in its head, sent as no HTTP client would. */
async function statusOf(stage: Stage, line: string): Promise<number> {
  const { answers } = stage.client.write(`GET / HTTP/1.1\r\nHost: sluice\r\nConnection: close\r\n${line}\r\n\r\n`);
  return Number((await answers).slice(9, 12));
}

/** A limit by a header that anybody may send, behind a proxy that is believed. */
function serve(stage: Stage): Promise<void> {
  return stage.serve(
    (tools) => {
      const keyBy = (name: string) => {
        const key = byHeader(name);
        return (...args: readonly unknown[]) => key(tools.requestOf(args));
      };
      const limits = [
        { name: 'key', limit: 2, window: '1m', keyGenerator: keyBy('x-api-key') },
        { name: 'prototype', limit: 50, window: '1m', keyGenerator: keyBy('__proto__') },
        { name: 'address', limit: 50, window: '1m' },
      ];
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

/** What a client may write that means harm. */
export const hostileHeaderRules: Rules = {
  ...Object.fromEntries(
    Object.entries(HOSTILE).map(([what, line]) => [
      `counts requests with fields ${what} like any other`,
      async (stage) => {
        await serve(stage);
        for (const status of [200, 200, 429]) assert.equal(await statusOf(stage, line), status);
        assert.equal(await statusOf(stage, 'X-Api-Key: another'), 200);
      },
    ]),
  ),

  'goes on after control characters': async (stage) => {
    await serve(stage);
    for (const character of ['\x00', '\x01', '\x1b', '\x7f']) {
      assert.ok([200, 400].includes(await statusOf(stage, `X-Api-Key: a${character}b`)));
    }
    assert.equal(await statusOf(stage, 'X-Api-Key: another'), 200);
  },
};

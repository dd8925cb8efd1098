import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { bundle, start, stopAll } from '../../shared/test/program.js';

afterEach(stopAll);

/** Runs the program that asks by the openai package; resolves with what it prints. */
async function ask(program: string, gateway: string, ...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, ['-', ...args], { env: { ...process.env, GATEWAY: gateway } });
  child.stdin.end(program);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return out + err;
}

describe('The gateway as a program', () => {
  it('prints what to try, answers the openai package, and ends on SIGINT', async () => {
    const [gateway, client] = await Promise.all(
      ['main', 'ask'].map((name) => bundle(join(__dirname, `../src/${name}.ts`))),
    );
    const { child, hints, url, exited } = await start(gateway as string);
    for (const path of ['/v1/chat/completions', '/v1/messages']) {
      expect(hints.some((line) => line.includes('curl') && line.includes(url + path))).toBe(true);
    }
    expect(await ask(client as string, url, 'free-key', 'Hello')).toMatch(/\n600 tokens in, 200 out\.\n$/);
    expect(await ask(client as string, url, 'free-key', 'Hello', 'unheard-of')).toMatch(
      /^400 model .*unheard-of.* \(model_not_found\)\n$/,
    );
    child.kill('SIGINT');
    expect(await exited).toEqual([0, null]);
  }, 120_000);
});

import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, expect, it } from '@jest/globals';
import { bundle, runWith, start, startOnTaken, stopAll } from './program.js';

async function fetchOver(agent: Agent, url: string): Promise<IncomingMessage> {
  const [response] = (await once(get(url, { agent }), 'response')) as [IncomingMessage];
  return response;
}

/** The tests of every example as a program, from its `main.ts` on. */
export function programSuite(entryPoint: string): void {
  let program = '';
  beforeAll(async () => {
    program = await bundle(entryPoint);
  }, 120_000);

  afterEach(stopAll);

  it('prints an example for every route, and serves it', async () => {
    const { child, hints, url, exited } = await start(program);
    for (const path of ['/', '/login', '/v1/quotes', '/v1/quota', '/report', '/export', '/health']) {
      expect(hints.some((line) => line.startsWith('  ') && line.includes(`curl `) && line.includes(url + path))).toBe(
        true,
      );
    }
    const answer = await fetch(`${url}/`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('RateLimit')).toMatch(/^"everywhere";r=299;t=6\d$/);
    child.kill('SIGINT');
    expect(await exited).toEqual([0, null]);
  }, 120_000);

  it('ends with one line that helps if its port is taken', async () => {
    const { printed, code, port } = await startOnTaken(program);
    // Nest also logs the error, in a line before it.
    expect(printed.trimEnd().split('\n').at(-1)).toBe(`Port ${port} is taken: choose another one with PORT.`);
    expect(printed).not.toMatch(/^ +at /m);
    expect(code).toBe(1);
  }, 120_000);

  it.each([
    ['PORT', 'abc', 'from 0 to 65535'],
    ['PORT', '70000', 'from 0 to 65535'],
    ['INSTANCES', '0', 'of at least 1'],
  ])(
    'ends with one line if %s=%s',
    async (variable, value, range) => {
      const { printed, code } = await runWith(program, { PORT: '0', [variable]: value });
      expect([printed, code]).toEqual([`${variable} must be a whole number ${range}, got "${value}".\n`, 1]);
    },
    120_000,
  );

  it('shows clients that send a bad body neither a stack nor a path of the server', async () => {
    const { url, child } = await start(program);
    for (const [body, status] of [
      ['{"username":', 400],
      [JSON.stringify({ username: 'a'.repeat(5000) }), 413],
    ] as const) {
      const answer = await fetch(`${url}/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
      });
      expect(answer.status).toBe(status);
      expect(answer.headers.get('Content-Type')).toBe('application/problem+json');
      expect(await answer.text()).not.toMatch(/node_modules|at .*:\d+:\d+/);
    }
    child.kill('SIGKILL');
  }, 120_000);

  it('finishes running requests when it is stopped, closes idle connections, and exits with 0', async () => {
    const { child, url, exited } = await start(program);
    const [idle, busy] = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })];
    await text(await fetchOver(idle, `${url}/health`));
    let isDropped = false;
    const [connection] = Object.values(idle.freeSockets).flatMap((sockets) => sockets ?? []);
    connection?.once('close', () => {
      isDropped = true;
    });
    const download = await fetchOver(busy, `${url}/export`);

    child.kill('SIGTERM');
    expect((await text(download)).trimEnd().split('\n').at(-1)).toBe('10,100');
    // The export takes two seconds. A connection that is kept alive would end after five.
    expect(isDropped).toBe(true);
    const [code] = await exited;
    expect(code).toBe(0);
    await expect(fetch(`${url}/health`)).rejects.toThrow();
    idle.destroy();
    busy.destroy();
  }, 120_000);
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type DecisionsLimiter, type DecisionsOptions, decisions } from '@sluice/client/decisions';
import { type Duration, policyMetrics, type SluiceEvents, storeMetrics, subscribe } from '@sluice/core';
import { byHeader } from '@sluice/core/http';
import { emittedWarnings } from '@sluice/test-kit/emitted-warnings';
import { until } from '@sluice/test-kit/until';
import { startDecisionServer } from '../../../server/test/decisions/decision-server.js';
import { type Answer, decide, decided, SmallService } from './small-service.js';

const ANN = { method: 'GET', url: '/', ip: '192.0.2.1', headers: { 'x-api-key': 'ann' } };

const open: { close(): unknown }[] = [];
let service: SmallService;
let failures: SluiceEvents['sluice:store-error'][];

beforeEach(async () => {
  service = await new SmallService().listen();
  failures = [];
  // Events are those of the whole process: what other tests have left open has some, too.
  const heard = (failure: SluiceEvents['sluice:store-error']) =>
    void (failure.policy === 'api' && failures.push(failure));
  open.push(service, { close: subscribe('sluice:store-error', heard) });
});

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

function limiter(options: Partial<DecisionsOptions> = {}): DecisionsLimiter {
  const made = decisions({ url: service.url, policy: 'api', deadline: '10s', ...options });
  open.push(made);
  return made;
}

const send =
  (status: number, body: string, headers = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end(body);

const PROBLEM = JSON.stringify({ type: 'about:blank', title: 'Unauthorized', status: 401, detail: 'who are you' });

describe('A decision service that fails', () => {
  it.each<[fault: string, answer: Answer, message: RegExp, deadline?: Duration]>([
    ['answers 500', send(500, 'oh no'), /answered 500/],
    ['answers 503', send(503, ''), /answered 503/],
    ['does not know the caller', send(401, PROBLEM), /answered 401: who are you/],
    ['has no such policy', send(404, PROBLEM), /answered 404/],
    ['leads elsewhere', send(302, '', { Location: 'http://127.0.0.1:1/' }), /answered 302/],
    ['answers no JSON', send(200, '<html>'), /no decision/],
    ['answers half a JSON', send(200, decided().slice(0, 100)), /no decision/],
    ['answers about another policy', send(200, decided(9, { policy: 'other' })), /policy is wrong/],
    ['contradicts its verdicts', send(200, decided(9, { allowed: false })), /allowed is wrong/],
    ['answers with a list', send(200, `[${decided()}]`), /no decision/],
    ['writes into header fields', send(200, decided(9).replace('"minute"', '"a\\r\\nX: y"')), /name is wrong/],
    // It ends at the deadline.
    [
      'answers less than it says',
      (response) => response.writeHead(200, { 'Content-Length': 999 }).end('{'),
      /./,
      '400ms',
    ],
    ['breaks off', (response) => response.writeHead(200).write('{', () => response.destroy()), /cannot be reached/],
    ['closes without an answer', (response) => response.destroy(), /cannot be reached/],
    ['answers without an end', (response) => flood(response), /answered with more than/],
  ])('is replaced by onStoreError if it %s', async (_, answer, message, deadline = '10s') => {
    service.answer = answer;
    const remote = limiter({ onStoreError: 'allow', deadline });
    expect(await remote.consume(ANN)).toMatchObject({ policy: 'api', allowed: true, source: 'allow' });
    expect(failures).toMatchObject([{ policy: 'api', source: 'allow', error: { code: 'SLUICE_STORE' } }]);
    expect(failures).toHaveProperty('0.error.message', expect.stringMatching(message));
  });

  it.each<[what: string, has: readonly boolean[], sources: readonly string[]]>([
    ['one request', [false], ['allow']],
    ['three requests of one turn', [false, false, false], ['allow', 'allow', 'allow']],
    ['some requests of a turn, because it reads another file meanwhile', [true, false], ['store', 'allow']],
  ])('is replaced by onStoreError where it has no such policy for %s', async (_, has, sources) => {
    const error = { ...JSON.parse(PROBLEM), status: 404 };
    service.answer = (response, body) => {
      if (Array.isArray(JSON.parse(body)))
        response.end(`[${has.map((one) => (one ? decided() : JSON.stringify({ policy: 'api', error })))}]`);
      else response.writeHead(404).end(JSON.stringify(error));
    };
    const remote = limiter({ onStoreError: 'allow' });
    const decisions = await Promise.all(has.map(() => remote.consume(ANN)));
    expect(decisions.map(({ source }) => source)).toEqual(sources);
    expect(failures).toHaveProperty('0.error.message', expect.stringMatching(/answered 404: who are you/));
  });

  it('refuses by deny, with the wait of a failed store', async () => {
    const remote = limiter({ onStoreError: 'deny' });
    await service.close();
    const refused = await remote.reserve(ANN);
    expect(refused).toMatchObject({ allowed: false, source: 'deny', retryAfterMs: 1000 });
    await refused.settle(3);
    expect(await remote.peek(ANN)).toMatchObject({ source: 'deny' });
  });

  it('lets this process count by the limits of local', async () => {
    const local = { limit: 2, window: '1m', keyGenerator: byHeader('x-api-key') } as const;
    const remote = limiter({ local });
    await service.close();
    const first = await remote.reserve(ANN);
    await first.cancel();
    const all = await Promise.all([1, 2, 3].map(() => remote.consume(ANN)));
    expect(all.map(({ allowed }) => allowed)).toEqual([true, true, false]);
    expect(all[2]).toMatchObject({ policy: 'api', source: 'local', tightest: { limit: { quota: 2 } } });
    expect((await remote.consume({ ...ANN, headers: { 'x-api-key': 'bob' } })).allowed).toBe(true);
    expect(await remote.peek(ANN)).toMatchObject({ allowed: false, source: 'local' });
  });

  it('lets this process count an operation once, too', async () => {
    const remote = limiter({ local: { limit: 9, window: '1m' } });
    await service.close();
    const left = async (): Promise<number> => (await remote.peek(ANN)).tightest.remaining;
    for (let i = 0; i < 3; i += 1) expect((await remote.consume(ANN, { id: 'job-1' })).source).toBe('local');
    expect(await left()).toBe(8);
    const [first, again] = [
      await remote.reserve(ANN, { id: 'job-1', cost: 3 }),
      await remote.reserve(ANN, { id: 'job-1', cost: 3 }),
    ];
    expect(await left()).toBe(5);
    await again.settle(1);
    await first.cancel();
    expect(await left()).toBe(7);
  });

  it('is replaced by onStoreError at the deadline if it is silent, and its calls are given up', async () => {
    let closed = 0;
    service.answer = (response) => response.on('close', () => (closed += 1));
    const remote = limiter({ onStoreError: 'allow', deadline: '100ms' });
    const startMs = performance.now();
    expect(await remote.consume(ANN)).toMatchObject({ source: 'allow' });
    const tookMs = performance.now() - startMs;
    expect(tookMs).toBeGreaterThan(95);
    expect(tookMs).toBeLessThan(2000);
    expect(failures).toMatchObject([{ error: { storeFailure: 'timeout' } }]);
    await until(() => closed === 1);
    expect(service.calls).toHaveLength(1);
  });

  it('is asked no more after several failures, until a probe succeeds', async () => {
    // The event does not name its store, and is that of the whole process.
    const states: string[] = [];
    open.push({ close: subscribe('sluice:breaker', ({ state }) => states.push(state)) });
    const breaker = () => storeMetrics().find(({ store }) => store === 'decisions')?.breaker;
    const remote = limiter({ onStoreError: 'allow' });
    service.answer = send(500, '');
    for (let i = 0; i < 5; i += 1) await remote.consume(ANN);
    expect(states).toContain('open');
    const before = service.calls.length;
    expect(await remote.consume(ANN)).toMatchObject({ source: 'allow' });
    expect(failures.at(-1)).toMatchObject({ error: { storeFailure: 'unavailable' } });
    expect(service.calls.slice(before).every(({ body }) => body.includes('"peek"'))).toBe(true);
    expect(breaker()).toMatch(/open/);
    service.answer = decide;
    await until(() => breaker() === 'closed');
    expect(states).toContain('closed');
    expect(await remote.consume(ANN)).toMatchObject({ source: 'store' });
  });

  it('is asked on if one burst was too much for it', async () => {
    const remote = limiter({ onStoreError: 'allow' });
    service.answer = send(500, '');
    const burst = await Promise.all(Array.from({ length: 1000 }, () => remote.consume(ANN)));
    expect(burst.every(({ source }) => source === 'allow')).toBe(true);
    expect(service.calls.length).toBeGreaterThanOrEqual(10);
    service.answer = decide;
    expect(await remote.consume(ANN)).toMatchObject({ source: 'store' });
    expect(storeMetrics().find(({ store }) => store === 'decisions')?.breaker).toBe('closed');
  });

  it('does not open the breaker for requests that cannot be counted', async () => {
    const remote = limiter({ onStoreError: 'allow' });
    service.answer = send(400, PROBLEM);
    for (let i = 0; i < 9; i += 1) await expect(remote.consume(ANN)).rejects.toMatchObject({ code: 'SLUICE_KEY' });
    service.answer = decide;
    expect(await remote.consume(ANN)).toMatchObject({ source: 'store' });
    expect(failures).toEqual([]);
  });

  it('repeats a call whose answer was lost, under the same id', async () => {
    const server = await startDecisionServer();
    open.push(server);
    // Decides, and loses the first answer.
    let isLost = false;
    service.answer = async (response, body) => {
      const answered = await server.post('/v1/decisions', JSON.parse(body));
      if (isLost) return response.setHeader('Content-Type', 'application/json').end(JSON.stringify(answered.body));
      isLost = true;
      return response.destroy();
    };
    const reservation = await limiter().reserve(ANN, { cost: 10 });
    expect(reservation).toMatchObject({ allowed: true, source: 'store', tightest: { remaining: 90 } });
    expect(service.calls).toHaveLength(2);
    expect(service.calls[0]?.body).toBe(service.calls[1]?.body);
    expect(await server.left({ policy: 'api', request: { address: ANN.ip } })).toBe(90);
    expect(failures).toEqual([]);
  });

  it('leaves the charge of a correction that fails, and reports it', async () => {
    service.answer = send(200, decided(90, { reservation: { token: 'abc', expiresInMs: 1000 } }));
    const remote = limiter();
    const first = await remote.reserve(ANN);
    const second = await remote.reserve(ANN);
    service.answer = send(500, '');
    await first.cancel();
    expect(failures).toMatchObject([{ policy: 'api', source: 'store', error: { code: 'SLUICE_STORE' } }]);
    service.answer = send(410, PROBLEM);
    await second.settle(4);
    expect(failures).toHaveLength(1);
    expect(service.calls.slice(2).map(({ path, body }) => [path, body])).toEqual([
      ['/v1/reservations/abc/cancel', ''],
      ['/v1/reservations/abc/settle', '{"actual":4}'],
    ]);
  });

  it('warns once if nobody listens', async () => {
    for (const one of open.splice(1)) await one.close();
    service.answer = send(500, '');
    const remote = limiter({ onStoreError: 'allow' });
    const warnings = emittedWarnings();
    await remote.consume(ANN);
    await remote.consume(ANN);
    expect(warnings).toMatchObject([{ code: 'SLUICE_STORE_FAILING' }]);
  });

  it('counts its failures, and what was decided without it', async () => {
    service.answer = (response, body) => send(500, '')(response, body, {} as never);
    const remote = limiter({ policy: 'failing', onStoreError: 'deny' });
    await remote.consume(ANN);
    const counted = policyMetrics().find(({ policy }) => policy === 'failing');
    expect(counted).toMatchObject({ decisions: { refused: { deny: 1 } }, storeErrors: { error: 1 }, limits: [] });
  });
});

describe('A decision service that works', () => {
  it('gets the call token, and a path before its own', async () => {
    const remote = limiter({ url: `${service.url}/limits/`, token: 'secret' });
    await remote.consume(ANN);
    expect(service.calls).toMatchObject([
      { path: '/limits/v1/decisions', headers: { authorization: 'Bearer secret' } },
    ]);
  });

  it('is asked over connections that stay open', async () => {
    const remote = limiter();
    for (let i = 0; i < 20; i += 1) await remote.consume(ANN);
    expect(service.connections).toBe(1);
  });

  it('is asked again after it has closed the connection', async () => {
    const remote = limiter();
    await remote.consume(ANN);
    service.answer = (response, body, request) => {
      decide(response, body, request);
      response.on('finish', () => request.socket.destroy());
    };
    for (let i = 0; i < 5; i += 1) expect(await remote.consume(ANN)).toMatchObject({ source: 'store' });
    expect(failures).toEqual([]);
  });
});

describe('A process that is stopped', () => {
  let child: ChildProcess | undefined;
  afterEach(() => {
    child?.kill('SIGCONT');
    child?.kill('SIGKILL');
  });

  it('is replaced by onStoreError while it is stopped, and asked again when it goes on', async () => {
    const program = `const answer = ${JSON.stringify(decided())};
      require('node:http').createServer((request, response) => request.resume().on('end', () => response.end(answer)))
        .listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;
    const running = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    child = running;
    const [port] = await once(running.stdout, 'data');
    const remote = limiter({ url: `http://127.0.0.1:${String(port).trim()}`, onStoreError: 'allow', deadline: '1s' });
    expect(await remote.consume(ANN)).toMatchObject({ source: 'store' });
    running.kill('SIGSTOP');
    const all = await Promise.all(Array.from({ length: 300 }, () => remote.consume(ANN)));
    expect(all.every(({ source }) => source === 'allow')).toBe(true);
    for (let i = 0; i < 5; i += 1) expect(await remote.consume(ANN)).toMatchObject({ source: 'allow' });
    running.kill('SIGCONT');
    await until(async () => (await remote.peek(ANN)).source === 'store');
  });
});

/** Writes until nobody reads any more. */
function flood(response: ServerResponse): void {
  const chunk = Buffer.alloc(1 << 20, ' ');
  const write = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', write);
  write();
}

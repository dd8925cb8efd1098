// What each application is asked: the same wherever a framework can answer it.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** Much longer than an answer takes. */
const ANSWER_MS = 10_000;
/** Within this time, a server has to notice that a client has left. */
const NOTICE_MS = 5_000;

/** Sends a request. Resolves with what has come when its response has begun. */
function begin(port, path, { method = 'GET', body, ...options }) {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, method, timeout: ANSWER_MS, agent: false, ...options });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${ANSWER_MS} ms`)));
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => resolve({ incoming, leave: () => outgoing.destroy() }));
    outgoing.end(body);
  });
}

/** Sends a request, and reads the response to its end. */
async function ask(port, path, options) {
  const { incoming } = await begin(port, path, options);
  let body = '';
  for await (const text of incoming.setEncoding('utf8')) body += text;
  return { status: incoming.statusCode, headers: incoming.headers, body };
}

/** What handlers of the recipes answer, as each framework writes it. */
const HELLO = /^\{\s*"hello":\s*"world"\s*\}$/;

/** Has the server answer as often as the limit allows, and once more. */
async function limits({ get, paths }) {
  for (let left = 99; left >= 0; left -= 1) {
    const { status, headers, body } = await get(1, paths.hello);
    assert.equal(status, 200);
    assert.match(body, paths.says ?? HELLO);
    assert.match(headers.ratelimit, new RegExp(`^"per-1m";r=${left};t=\\d+$`));
    assert.match(headers['ratelimit-policy'], /^"per-1m";q=100;w=60/);
    assert.deepEqual([headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']], ['100', String(left)]);
  }
  const { status, headers, body } = await get(1, paths.hello);
  assert.deepEqual([status, headers['content-type']], [429, 'application/problem+json']);
  assert.match(headers['retry-after'], /^[1-9]\d?$/);
  assert.match(headers.ratelimit, /^"per-1m";r=0;t=\d+$/);
  assert.equal(JSON.parse(body).status, 429);
}

async function countsClientsApart({ get, paths }) {
  const { status, headers } = await get(2, paths.hello);
  assert.deepEqual([status, headers['x-ratelimit-remaining']], [200, '99']);
}

/** The first client is at its limit, whatever it sends. */
async function believesNoClient({ get, paths }) {
  const { status } = await get(1, paths.hello, { headers: { 'x-forwarded-for': '198.51.100.99' } });
  assert.equal(status, 429);
}

/** An application that knows no address admits nothing, and goes on. */
async function failsWithoutAddress({ port, get, paths }) {
  assert.equal((await ask(port, paths.hello, {})).status, 500);
  assert.equal((await get(2, paths.hello)).status, 200);
}

async function leavesAnswersAlone({ get, paths }) {
  const teapot = await get(3, paths.teapot);
  assert.deepEqual([teapot.status, teapot.body], [418, 'short and stout']);
  assert.equal(teapot.headers['x-ratelimit-limit'], '100');
  const broken = await get(3, paths.broken);
  assert.equal(broken.status, 500);
  assert.equal((await get(3, '/no/such/path')).status, 404);
  if (paths.page) assert.match((await get(3, paths.page)).body, /a page/);
}

async function leavesBodiesAlone({ get, paths }) {
  const headers = { 'content-type': 'application/octet-stream' };
  const { status, body } = await get(3, paths.echo, { method: 'POST', body: 'a body', headers });
  assert.deepEqual([status, body], [200, 'a body']);
}

async function freesSlots({ begin: first, get, paths }) {
  const { incoming, leave } = await first(4, paths.slots);
  incoming.on('error', () => {});
  assert.equal(incoming.statusCode, 200);
  assert.equal((await get(4, paths.slots)).status, 429);
  leave();
  const endMs = performance.now() + NOTICE_MS;
  for (;;) {
    const next = await first(4, paths.slots);
    next.incoming.on('error', () => {}).resume();
    next.leave();
    if (next.incoming.statusCode === 200) return;
    if (performance.now() > endMs) throw new Error('the slot of a client that has left stays taken');
    await pause(50);
  }
}

/** Asks everything that `paths` has. Returns how many answers are as they should be, and why others are not. */
export async function examine(client, paths, port) {
  const optionsOf = (i, { headers, ...more } = {}) => {
    const own = client(i);
    return { ...own, ...more, headers: { ...headers, ...own.headers } };
  };
  const application = {
    port,
    paths,
    begin: (i, path, more) => begin(port, path, optionsOf(i, more)),
    get: (i, path, more) => ask(port, path, optionsOf(i, more)),
  };
  const questions = [limits, countsClientsApart, believesNoClient];
  if (client(1).headers?.['x-real-ip']) questions.push(failsWithoutAddress);
  if (paths.teapot) questions.push(leavesAnswersAlone);
  if (paths.echo) questions.push(leavesBodiesAlone);
  if (paths.slots) questions.push(freesSlots);
  const failures = [];
  for (const question of questions) {
    try {
      await question(application);
    } catch (error) {
      failures.push(`${question.name}: ${error.stack}`);
    }
  }
  return { passed: questions.length - failures.length, failures };
}

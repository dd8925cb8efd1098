import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rawExchange } from '../raw-exchange.js';
import { startTraffic, type TrafficServer } from './traffic-server.js';

const MOST_BYTES = 1024;

const LONG = 'l'.repeat(60);
const limits = Array.from({ length: 8 }, (_, i) => `{ name: ${LONG}-${i}, limit: 1, window: ${i + 1}h }`).join(', ');

const TEXT = `version: 1
policies:
  api: { limits: [{ name: minute, limit: 1, window: 1m }] }
  many: { limits: [${limits}] }
`;

/** Requests that name what an answer could repeat. */
const WRONG = {
  'a policy of letters': ['a'.repeat(9000), ''],
  'a policy of controls': ['%01'.repeat(3000), ''],
  'a policy of wide letters': ['%E2%82%AC'.repeat(1000), ''],
  'a policy of quotes': ['%22'.repeat(3000), ''],
  'very many policies': ['api/'.repeat(3000), ''],
  'a query': [`api?${'q'.repeat(9000)}`, ''],
  'a method': ['api', `X-Forwarded-Method: ${'M'.repeat(9000)}\r\n`],
  'a target': ['api', `X-Forwarded-Uri: ${'u'.repeat(9000)}\r\n`],
  'a host': ['api', `X-Forwarded-Host: ${'h'.repeat(9000)}\r\n`],
  'an address': ['api', `X-Forwarded-For: ${'1'.repeat(9000)}\r\nX-Real-IP: ${'1'.repeat(9000)}\r\n`],
  'an operation': ['api', `Sluice-Request-Id: ${'i'.repeat(9000)}\r\n`],
} as const;

describe('An answer to a balancer', () => {
  let server: TrafficServer;

  beforeAll(async () => {
    server = await startTraffic(TEXT);
  });

  afterAll(() => server.close());

  const answerTo = (path: string, fields: string): Promise<string> =>
    rawExchange(server.port, `GET ${path} HTTP/1.1\r\nHost: sluice\r\nConnection: close\r\n${fields}\r\n`);

  it.each(Object.entries(WRONG))('has at most 1 KB whatever a client sends: %s', async (_, [path, fields]) => {
    for (const way of ['forward-auth', 'auth-request']) {
      const answer = await answerTo(`/v1/${way}/${path}`, fields);
      expect(answer).toMatch(/^HTTP\/1.1 4/);
      expect(answer.length).toBeLessThanOrEqual(MOST_BYTES);
    }
  });

  it('has at most 1 KB for a path that nobody knows', async () => {
    const answer = await answerTo(`/${'x'.repeat(9000)}`, '');
    expect(answer).toMatch(/^HTTP\/1.1 404/);
    expect(answer.length).toBeLessThanOrEqual(MOST_BYTES);
  });

  it.each(['api', 'many', 'many/api'])(
    'has at most 1 KB by auth-request whatever the policy is, and says how long to wait: %s',
    async (policies) => {
      const answers: string[] = [];
      for (let i = 0; i < 2; i += 1) {
        const fields = `X-Real-IP: 192.0.2.${policies.length}\r\nX-Api-Key: ${'k'.repeat(3300)}\r\n`;
        answers.push(await answerTo(`/v1/auth-request/${policies}`, fields));
      }
      const [allowed = '', refused = ''] = answers;
      expect(allowed).toMatch(/^HTTP\/1.1 204[\s\S]*\r\nX-RateLimit-Remaining: 0\r\n/);
      expect(refused).toMatch(/^HTTP\/1.1 403[\s\S]*\r\nRetry-After: \d+\r\n[\s\S]*Sluice-Status: 429\r\n/);
      for (const answer of answers) expect(answer.length).toBeLessThanOrEqual(MOST_BYTES);
      // What does not fit is left out.
      expect(refused.includes('Sluice-Problem: ')).toBe(policies === 'api');
    },
  );
});

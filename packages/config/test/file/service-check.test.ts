import { describe, expect, it } from '@jest/globals';
import { mistakeText, readPolicyFile, serviceCheck } from '@sluice/config';

const mistakesOf = (text: string): readonly string[] => {
  const { mistakes = [] } = readPolicyFile(text, { origin: 'f.yaml', check: serviceCheck });
  return mistakes.map(mistakeText);
};

describe('a file that the service cannot honour', () => {
  it('is refused for each limit that needs the end of a request, or lets one wait', () => {
    const text = `version: 1
keys: { customer: { header: x-api-key } }
tiers:
  free: { minute: { limit: 5, window: 1m } }
  slow: { minute: { algorithm: leaky-bucket, capacity: 5, leakRate: 1 } }
customers:
  acme: { tier: free, overrides: { minute: { algorithm: concurrency, limit: 3, lease: 1m } } }
policies:
  api:
    key: customer
    tier: { from: customers, default: free }
    limits:
      - { name: minute, tier: true }
      - { name: open, algorithm: concurrency, limit: 2, lease: 1m }
      - { name: queue, algorithm: leaky-bucket, capacity: 10, immediate: 9, leakRate: 5 }
      - { name: slowed, limit: 10, window: 1m, slowDown: { after: 5, by: 100ms, upTo: 1s } }
      - name: tried
        variants:
          tight: { share: 50%, limit: 5, window: 1m }
          loose: { share: 50%, algorithm: leaky-bucket, capacity: 5, leakRate: 5 }
`;
    expect(mistakesOf(text)).toEqual([
      expect.stringMatching(
        /^f\.yaml:5:19 tiers\.slow\.minute lets requests wait.*immediate: 5 \(SLUICE_UNSUPPORTED\)$/,
      ),
      expect.stringMatching(/^f\.yaml:7:44 customers\.acme\.overrides\.minute counts open requests/),
      expect.stringMatching(/^f\.yaml:14:9 policies\.api\.limits\[1\] counts open requests/),
      expect.stringMatching(/^f\.yaml:15:9 policies\.api\.limits\[2\] lets requests wait/),
      expect.stringMatching(/^f\.yaml:16:58 policies\.api\.limits\[3\]\.slowDown lets requests wait/),
      expect.stringMatching(/^f\.yaml:20:18 policies\.api\.limits\[4\]\.variants\.loose lets requests wait/),
    ]);
  });

  it('is none without such limits, and a leaky bucket that delays nobody is none', () => {
    const text = `version: 1
policies:
  api:
    limits:
      - { name: nodelay, algorithm: leaky-bucket, capacity: 10, immediate: 10, leakRate: 5 }
      - { name: burst, algorithm: token-bucket, capacity: 10, refillRate: 5 }
      - { name: minute, limit: 10, window: 1m }
`;
    expect(mistakesOf(text)).toEqual([]);
  });
});

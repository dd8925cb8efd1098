import Sequencer from '@jest/test-sequencer';

/** About how many seconds the longest files take. What is not here takes less than the last of them. */
const SECONDS = {
  'packages/bench/test/sections.test.ts': 48,
  'packages/redis/test/numeric-path.test.ts': 25,
  'packages/nestjs/test/adapter-suite.test.ts': 29,
  'packages/redis/test/faults/moved-clock.test.ts': 21,
  'packages/redis/test/clients/store-suite.test.ts': 20,
  'packages/redis/test/differential.test.ts': 18,
  'packages/metrics/test/real/real-prometheus.test.ts': 18,
  'packages/distributed/test/leased/leased-store.test.ts': 17,
  'packages/redis/test/cluster.test.ts': 13,
  'packages/redis/test/faults/frozen-node.test.ts': 13,
  'packages/redis/test/store-suite-of-forms.test.ts': 13,
  'packages/server/test/program/restart/rolling-restart.test.ts': 12,
  'examples/gateways/test/nginx-cache.test.ts': 12,
  'packages/server/test/program/main.test.ts': 11,
  'packages/server/test/program/shared-stores.test.ts': 11,
  'packages/redis/test/leasing.test.ts': 10,
  'packages/express/test/adapter-suite.test.ts': 10,
  'packages/cli/test/report/report.test.ts': 9,
  'packages/express/test/obeying-client.test.ts': 9,
  'packages/redis/test/differential-of-forms.test.ts': 9,
  'packages/redis/test/sharding-bounds.test.ts': 9,
  'packages/redis/test/faults/failover.test.ts': 8,
  'packages/redis/test/faults/late-slices.test.ts': 7,
  'packages/redis/test/faults/late-slices-bound.test.ts': 7,
  'packages/nestjs/test/load-shedding.test.ts': 8,
  'packages/core/test/stores/memory/bytes-per-key.test.ts': 8,
  'packages/redis/test/redis-store.test.ts': 8,
  'packages/redis/test/differential-of-expiry.test.ts': 8,
  'packages/cloudflare/test/durable-object-store.test.ts': 8,
  'packages/redis/test/sharding.test.ts': 8,
  'examples/gateways/test/answers.test.ts': 7,
  'packages/server/test/fuzz/fuzz.test.ts': 7,
  'packages/postgres/test/postgres-store.test.ts': 7,
  'packages/sqlite/test/sqlite-store.test.ts': 7,
  'packages/cluster/test/cluster-store.test.ts': 7,
  'packages/remote/test/guard/breaker.test.ts': 7,
  'packages/client/test/decisions/faults.test.ts': 7,
  'examples/gateways/test/shared-limit.test.ts': 6,
  'packages/client/test/adaptive/real-servers.test.ts': 6,
  'packages/redis/test/faults/slot-move.test.ts': 6,
  '.config/docs.test.ts': 6,
  'packages/nestjs/test/textbook.test.ts': 6,
  'packages/core/test/stores/memory/memory-store.test.ts': 6,
};

/**
 * Starts the longest files first, so that none of them runs alone at the end. Jest does so by itself from its second run on a
 * machine, whose times it remembers; on CI every run is the first.
 */
export default class LongestFirst extends Sequencer {
  time(test) {
    const path = Object.keys(SECONDS).find((end) => test.path.replaceAll('\\', '/').endsWith(end));
    return super.time(test) ?? (path === undefined ? 0 : SECONDS[path] * 1000);
  }
}

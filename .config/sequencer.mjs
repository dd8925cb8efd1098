import Sequencer from '@jest/test-sequencer';

/** About how many seconds the longest files take. What is not here takes less than the last of them. */
const SECONDS = {
  'packages/bench/test/sections.test.ts': 20,
  'packages/redis/test/faults/late-slices.test.ts': 19,
  'packages/metrics/test/real/real-prometheus.test.ts': 18,
  'packages/nestjs/test/adapter-suite.test.ts': 18,
  'packages/redis/test/cluster.test.ts': 18,
  'packages/redis/test/differential.test.ts': 17,
  'packages/redis/test/store-suite-of-forms.test.ts': 16,
  'packages/redis/test/faults/moved-clock.test.ts': 16,
  'packages/core/test/stores/leased/leased-store.test.ts': 16,
  'packages/postgres/test/postgres-store.test.ts': 14,
  'packages/express/test/obeying-client.test.ts': 14,
  'packages/redis/test/redis-store.test.ts': 12,
  'packages/redis/test/faults/frozen-node.test.ts': 12,
  'packages/core/test/stores/memory/memory-store.test.ts': 11,
  'packages/core/test/stores/memory/against-plain-store.test.ts': 9,
  'packages/core/test/stores/leased/store-suite.test.ts': 8,
  'packages/redis/test/leasing.test.ts': 10,
  'packages/cli/test/report/report.test.ts': 10,
  'packages/redis/test/differential-of-expiry.test.ts': 10,
  'packages/core/test/stores/memory/bytes-per-key.test.ts': 9,
  'packages/core/test/limiter/wait-and-signals.test.ts': 9,
  'packages/redis/test/sharding.test.ts': 9,
  'packages/redis/test/sharding-bounds.test.ts': 9,
  'packages/core/test/stores/sharded/sharded-store.test.ts': 9,
  'packages/redis/test/faults/failover.test.ts': 9,
  'packages/core/test/stores/remote/refusal-cache.test.ts': 9,
  'packages/nestjs/test/obeying-client.test.ts': 8,
  'packages/redis/test/differential-of-forms.test.ts': 8,
  'packages/core/test/properties/guaranteed-parts.test.ts': 8,
  'packages/redis/test/remote.test.ts': 7,
  'packages/express/test/adapter-suite.test.ts': 7,
  'packages/nestjs/test/textbook.test.ts': 6,
  'packages/llm/test/hosts/relay.test.ts': 7,
  'packages/llm/test/hosts/failures.test.ts': 7,
  'packages/fastify/test/adapter-suite.test.ts': 6,
  'examples/coming-from/test/b9-envoy.test.ts': 6,
  'packages/fastify/test/obeying-client.test.ts': 6,
  'packages/express/test/hostile-headers.test.ts': 6,
  'packages/core/test/properties/counted-refusals.test.ts': 6,
  'packages/core/test/properties/reference-models.test.ts': 6,
  'packages/postgres/test/leased.test.ts': 6,
  'packages/redis/test/cluster-app.test.ts': 6,
  'packages/cli/test/main.test.ts': 6,
  'packages/cli/test/replay/speed.test.ts': 6,
  'packages/metrics/test/cluster.test.ts': 6,
  'examples/observed-api/test/main.test.ts': 6,
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

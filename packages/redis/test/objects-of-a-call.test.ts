import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { TestProgram } from '@sluice/test-kit/test-program';

let server: RedisServer;
let program: TestProgram;

withRedis((_, started) => {
  server = started;
});

beforeAll(async () => {
  program = await TestProgram.build(join(__dirname, 'objects-of-a-call-program.ts'));
});

afterAll(() => {
  program.remove();
});

it('makes one promise for the caller of a lone decision, one to read the reply, and one timer', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [program.path, JSON.stringify(server.nearest)]);
  const { command, decision } = JSON.parse(stdout);
  expect(decision.promises - command.promises).toBeLessThanOrEqual(2);
  expect(decision.timers - command.timers).toBeLessThanOrEqual(1);
});

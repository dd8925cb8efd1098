import { afterEach, it } from '@jest/globals';
import { freePort } from '@sluice/test-kit/free-port';
import { expectLocalDecisions, Stage } from './stage.js';

let stage: Stage;

afterEach(() => stage.clear());

it('While Redis is a read-only replica, the policy decides, and the error says so; when it is promoted, Redis decides', async () => {
  stage = await Stage.set();
  await expectLocalDecisions(stage, {
    begin: async (client) => client.replicaof('127.0.0.1', await freePort()),
    end: (client) => client.replicaof('NO', 'ONE'),
    explained: 'read-only replica',
  });
});

import { expect, it } from '@jest/globals';
import { explained } from '../src/redis-error.js';

/** What servers say to a user who may not write, in a script that writes. The tests with servers see the one that is installed. */
it.each([
  [
    'Redis 7',
    "ERR The user executing the script can't run this command or subcommand script: 4872cb46, on @user_script:113.",
  ],
  [
    'Redis 8 and Valkey 8',
    "ERR ACL failure in script: User app has no permissions to run the 'set' command script: 4872cb46, on @user_script:113.",
  ],
  ['any, outside of a script', "NOPERM User app has no permissions to run the 'evalsha' command"],
])('the user of %s who lacks a permission gets the list of them', (_server, message) => {
  expect(explained(new Error(message))).toMatchObject({
    code: 'SLUICE_STORE',
    message: expect.stringContaining('+set'),
  });
});

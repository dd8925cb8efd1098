import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { PostgresServer } from '../postgres/postgres-server.js';
import { RedisServer } from '../redis/redis-server.js';
import { bundleOf } from './bundle-of.js';
import { type Recording, record } from './recording.js';
import { statesInPostgres, statesInRedis } from './states.js';
import type { Version } from './version.js';

// Makes what the tests of versions side by side need, of the commits themselves: npm run versions -w @sluice/test-kit [-- --check]
// With --check, it writes nothing, and compares what it makes with what is there: the stores byte for byte, and what was said about states.

/** The last commit of the form before today's. With a release, it becomes the one of the last minor version. */
const EARLIER = '8c2e35a329490cd5c1aabae6e309ee75cdb18d3d';

/** A commit of each form of states so far, from the first. */
const FORMS = {
  'first-form': 'a290fefb57f9e698d9797594354b9d8c586caec4',
  'blocks-and-strikes': '34c3c886caece61dd2fb3f4fefdb65f1dbaea785',
  'held-and-operations': EARLIER,
} as const;

const GENERATED = join(process.cwd(), 'src/versions/generated');

const isCheck = process.argv.includes('--check');

/** Whether the file has what was made now. */
type IsSame = (kept: string, made: string) => boolean;

const isEqual: IsSame = (kept, made) => kept === made;

/** States have ids that are made by chance, and times to live: what the version said about them is the same each time. */
const saysTheSame: IsSame = (kept, made) => saidIn(kept) === saidIn(made);

const saidIn = (text: string): string =>
  JSON.stringify(JSON.parse(text, (key, value) => (key === 'states' ? [] : value)));

/** Returns whether the file has this already; otherwise it is written, or the check has failed. */
function keep(name: string, text: string, isSame: IsSame): boolean {
  const path = join(GENERATED, name);
  if (existsSync(path) && isSame(readFileSync(path, 'utf8'), text)) return true;
  if (isCheck) process.exitCode = 1;
  else writeFileSync(path, text);
  return false;
}

/** The servers that all versions leave their states in, one after another. */
interface Servers {
  readonly client: Redis;
  readonly pool: Pool;
}

/** Records a form, keeps what its version has said, and keeps the stores of the earlier one. */
async function keepForm(form: string, commit: string, folder: string, { client, pool }: Servers): Promise<void> {
  const text = await bundleOf(commit);
  const path = join(folder, `${form}.cjs`);
  writeFileSync(path, text);
  const version = createRequire(path)(path) as Version;
  const redis = await record(
    version,
    statesInRedis(client),
    (v, clock) => new v.RedisStore({ client, clock, timeout: '10s' }),
  );
  const postgres = version.PostgresStore && (await recordInPostgres(version, pool));
  const isSame = [keep(`${form}.json`, `${JSON.stringify({ commit, redis, postgres }, null, 1)}\n`, saysTheSame)];
  if (commit === EARLIER) isSame.push(keep('earlier.cjs', text, isEqual));
  const result = isSame.every(Boolean) ? 'as committed' : 'not as committed';
  console.log(
    `versions: ${form}, ${commit.slice(0, 8)}: ${Object.keys(redis).length} states, ${text.length} bytes, ${result}`,
  );
}

async function recordInPostgres(version: Version, pool: Pool): Promise<Recording<unknown>> {
  await new version.PostgresStore({ client: pool }).createTable();
  const recording = await record(
    version,
    statesInPostgres(pool),
    (v, clock) => new v.PostgresStore({ client: pool, clock, timeout: '10s' }),
  );
  await pool.query('DROP TABLE sluice');
  return recording;
}

async function main(): Promise<void> {
  mkdirSync(GENERATED, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'sluice-versions-'));
  const [redis, postgres] = await Promise.all([RedisServer.start(), PostgresServer.start()]);
  const servers: Servers = { client: new Redis(redis.port), pool: postgres.pool() };
  try {
    for (const [form, commit] of Object.entries(FORMS)) await keepForm(form, commit, folder, servers);
  } finally {
    servers.client.disconnect();
    await servers.pool.end();
    await Promise.all([redis.stop(), postgres.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

main();

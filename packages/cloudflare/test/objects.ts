import Database from 'libsql';
import {
  type LimitsNamespace,
  LimitsObject,
  type LimitsStub,
  type ObjectStorage,
  type SqlValue,
} from '../src/index.js';

/** All objects have it in common, each with a table of its own: a database for each takes most of the time of the suites. */
const database = new Database(':memory:');

const [begin, commit, rollBack] = ['BEGIN', 'COMMIT', 'ROLLBACK'].map((sql) => database.prepare(sql)) as [
  Database.Statement,
  Database.Statement,
  Database.Statement,
];

let tables = 0;

/** The storage of an object as Cloudflare's is, over a database of SQLite in memory. */
class TestStorage implements ObjectStorage {
  readonly #table: string;
  readonly #statements = new Map<string, Database.Statement>();
  alarmMs: number | null = null;

  constructor() {
    tables += 1;
    this.#table = `limits_${tables}`;
  }

  readonly sql: ObjectStorage['sql'] = {
    exec: (query, ...values) => {
      const statement = this.#statements.get(query) ?? database.prepare(query.replaceAll(/\blimits\b/g, this.#table));
      this.#statements.set(query, statement);
      const rows = rowsOf(statement, query, values);
      return { toArray: () => rows };
    },
  };

  transactionSync<T>(body: () => T): T {
    begin.run();
    try {
      const result = body();
      commit.run();
      return result;
    } catch (error) {
      rollBack.run();
      throw error;
    }
  }

  async sync(): Promise<void> {}

  async getAlarm(): Promise<number | null> {
    return this.alarmMs;
  }

  async setAlarm(atMs: number): Promise<void> {
    this.alarmMs = atMs;
  }

  async deleteAlarm(): Promise<void> {
    this.alarmMs = null;
  }

  async deleteAll(): Promise<void> {
    this.#statements.clear();
    database.exec(`DROP TABLE IF EXISTS ${this.#table}`);
  }

  /** The keys of all rows; undefined if there is no table. */
  get keys(): readonly string[] | undefined {
    const has = this.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'limits'").toArray().length > 0;
    return has
      ? this.sql
          .exec('SELECT key FROM limits ORDER BY key')
          .toArray()
          .map(({ key }) => key as string)
      : undefined;
  }
}

/** To iterate over rows takes much longer than to get one, and a key has one. */
function rowsOf(
  statement: Database.Statement,
  query: string,
  values: readonly (string | number)[],
): Record<string, SqlValue>[] {
  if (query.startsWith('SELECT') && query.endsWith('WHERE key = ?')) {
    const row = statement.get(...values);
    return row === undefined ? [] : [row as Record<string, SqlValue>];
  }
  if (statement.reader) return statement.all(...values) as Record<string, SqlValue>[];
  statement.run(...values);
  return [];
}

/** A Durable Object of the tests. */
export class TestObject {
  readonly storage = new TestStorage();
  #instance: LimitsObject | undefined;
  /** How many messages it got. */
  messages = 0;
  /** Awaited before a message is answered; a test may fail or hang there. */
  before: () => Promise<void> = async () => {};

  get instance(): LimitsObject {
    this.#instance ??= new LimitsObject(this);
    return this.#instance;
  }

  /** Ends the process of the object. The next message starts another one, over the same storage. */
  restart(): void {
    this.#instance = undefined;
  }

  /** Wakes the object at the time of its alarm, which is then set no more. */
  async ring(): Promise<void> {
    this.storage.alarmMs = null;
    await this.instance.alarm();
  }
}

/** A namespace of Durable Objects in this process. It makes the real objects; their storage and the way to them are those of this file. */
export class TestNamespace implements LimitsNamespace {
  /** By their names. */
  readonly objects = new Map<string, TestObject>();
  readonly locationHints = new Set<string | undefined>();

  idFromName(name: string): unknown {
    return { name };
  }

  get(id: unknown, options?: { readonly locationHint?: string }): LimitsStub {
    const object = this.object((id as { readonly name: string }).name);
    this.locationHints.add(options?.locationHint);
    return {
      fetch: async (_url, { body }) => {
        object.messages += 1;
        await object.before();
        // To make a real one takes a fifth of the time of the suites.
        const request: Pick<Request, 'text'> = { text: async () => body };
        return object.instance.fetch(request as Request);
      },
    };
  }

  object(name: string): TestObject {
    const object = this.objects.get(name) ?? new TestObject();
    this.objects.set(name, object);
    return object;
  }
}

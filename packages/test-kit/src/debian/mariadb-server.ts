import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ServerProgram } from './server-program.js';

/** Without tables of users, it begins with an empty folder, and takes whoever comes from this machine. */
const ARGS = [
  '--no-defaults',
  '--skip-grant-tables',
  '--skip-networking=0',
  '--bind-address=127.0.0.1',
  '--innodb-buffer-pool-size=16M',
  '--innodb-log-file-size=8M',
  '--innodb-flush-log-at-trx-commit=0',
];

/** A real MariaDB. */
export class MariadbServer {
  readonly #server: ServerProgram;

  private constructor(server: ServerProgram) {
    this.#server = server;
  }

  /** @param env - further variables of its environment */
  static async start(env: Readonly<Record<string, string>> = {}): Promise<MariadbServer> {
    const server = await ServerProgram.start({
      program: 'mariadbd',
      env: () => env,
      args: ({ port, folder }) => {
        const data = join(folder, 'data');
        mkdirSync(data, { recursive: true });
        const own = [`--datadir=${data}`, `--socket=${join(folder, 'socket')}`, `--pid-file=${join(folder, 'pid')}`];
        return [...ARGS, ...own, `--port=${port}`, ...(process.getuid?.() === 0 ? ['--user=root'] : [])];
      },
      readyPath: null,
    });
    return new MariadbServer(server);
  }

  /** Of its database of that name, which has to be created first; without a name, of no database. */
  uri(database = ''): string {
    return `mysql://root@127.0.0.1:${this.#server.port}/${database}`;
  }

  freeze(): void {
    this.#server.signal('SIGSTOP');
  }

  thaw(): void {
    this.#server.signal('SIGCONT');
  }

  /** Ends it at once, as a crash does. */
  kill(): Promise<void> {
    return this.#server.kill();
  }

  /** Starts it again after `kill`, with what it has on its disk. */
  restart(): Promise<void> {
    return this.#server.restart();
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }
}

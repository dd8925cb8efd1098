import { afterAll, beforeAll } from '@jest/globals';
import { debianProgram } from '@sluice/test-kit/debian/debian-program';
import { RealServer, type ServerProcess } from '../../../packages/server/test/program/real-server.js';
import { Application } from './application.js';
import { Client } from './client.js';
import { GATEWAYS, type Gateway, type GatewayName, type GatewayOptions } from './gateways.js';
import { Relay } from './relay.js';

for (const program of ['nginx', 'haproxy', 'caddy'] as const) debianProgram(program);

/** Whether the full numbers are wanted: `npm run proof -- gateways`. */
export const IS_FULL = process.env.SLUICE_GATEWAYS === 'full';

export const NAMES = Object.keys(GATEWAYS) as GatewayName[];

/** An instance of the service: the program, as a process of its own. */
export interface Instance {
  readonly port: number;
  readonly process: ServerProcess;
}

/** The parts of a test file: instances of the service, balancers before an application, and clients. They end with the file. */
export class Setup {
  application!: Application;
  #program!: RealServer;
  readonly #ends: (() => unknown)[] = [];

  /** To be called where a test file describes its tests. */
  constructor() {
    beforeAll(async () => {
      this.#program = await RealServer.build();
      this.application = await Application.start();
    });
    afterAll(async () => {
      await Promise.all(this.#ends.map((end) => end()));
      this.application.stop();
      await this.#program.remove();
    });
  }

  /**
   * Starts instances of the service.
   *
   * @param redis - the port of the Redis that they share; by default each counts by itself
   */
  services(policies: string, count = 1, redis?: number, args: readonly string[] = []): Promise<Instance[]> {
    this.#program.write('sluice.yaml', policies);
    const store = redis === undefined ? [] : ['--store', `redis://127.0.0.1:${redis}`];
    return Promise.all(
      Array.from({ length: count }, async () => {
        const secret = { SLUICE_SECRET: '00112233445566778899aabbccddeeff' };
        const process = this.#program.serve('sluice.yaml', [...store, ...args], secret);
        this.#ends.push(() => this.kill({ port: 0, process }));
        const { traffic } = await process.ready();
        return { port: traffic, process };
      }),
    );
  }

  async kill({ process }: Instance): Promise<void> {
    process.signal('SIGKILL');
    await process.ended;
  }

  async gateway(
    name: GatewayName,
    services: readonly number[],
    options: Omit<GatewayOptions, 'services' | 'app'> = {},
  ): Promise<Gateway> {
    const gateway = await GATEWAYS[name]({ services, app: this.application.port, ...options });
    this.#ends.push(() => gateway.server.stop());
    return gateway;
  }

  client(url: string, connections?: number, localAddress?: string): Client {
    const client = new Client(url, connections, localAddress);
    this.#ends.push(() => client.close());
    return client;
  }

  /** A relay before an instance. */
  async relay(port: number): Promise<Relay> {
    const relay = await Relay.start(port);
    this.#ends.push(() => relay.stop());
    return relay;
  }
}

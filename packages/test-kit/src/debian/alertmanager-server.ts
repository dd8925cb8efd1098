import type { Alert } from './prometheus-server.js';
import { type ServerOptions, ServerProgram } from './server-program.js';

/** A real Alertmanager. */
export class AlertmanagerServer {
  readonly #server: ServerProgram;

  private constructor(server: ServerProgram) {
    this.#server = server;
  }

  /** @param config - the text of `alertmanager.yml`. */
  static async start(config: string): Promise<AlertmanagerServer> {
    const options: ServerOptions = {
      program: 'prometheus-alertmanager',
      args: ({ port }) => [
        '--config.file=alertmanager.yml',
        '--storage.path=data',
        `--web.listen-address=127.0.0.1:${port}`,
        '--cluster.listen-address=',
        '--log.level=warn',
      ],
      files: () => ({ 'alertmanager.yml': config }),
      readyPath: '/-/ready',
    };
    return new AlertmanagerServer(await ServerProgram.start(options));
  }

  get url(): string {
    return this.#server.url;
  }

  /** Alerts that are not resolved. */
  async alerts(): Promise<readonly Alert[]> {
    const response = await fetch(`${this.url}/api/v2/alerts?active=true`);
    return (await response.json()) as readonly Alert[];
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }
}

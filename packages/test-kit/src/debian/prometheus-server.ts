import { type ServerOptions, ServerProgram } from './server-program.js';

/** Series of an instant query: its labels, and its value. */
interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** An alert that Prometheus or Alertmanager knows. */
export interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  /** Of Prometheus: `pending` or `firing`. */
  readonly state?: string;
}

interface QueryResponse {
  readonly status: string;
  readonly error?: string;
  readonly data?: {
    readonly resultType: string;
    readonly result: readonly { readonly metric: Series['labels']; readonly value: [number, string] }[];
  };
}

/** A real Prometheus. */
export class PrometheusServer {
  readonly #server: ServerProgram;

  private constructor(server: ServerProgram) {
    this.#server = server;
  }

  /**
   * @param files - `prometheus.yml`, and those that it names
   * @param data - a folder with blocks of earlier times. Default: an empty one
   */
  static async start(files: Readonly<Record<string, string>>, data = 'data'): Promise<PrometheusServer> {
    const options: ServerOptions = {
      program: 'prometheus',
      args: ({ port }) => [
        '--config.file=prometheus.yml',
        `--storage.tsdb.path=${data}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--log.level=warn',
      ],
      files: () => files,
      readyPath: '/-/ready',
    };
    return new PrometheusServer(await ServerProgram.start(options));
  }

  get url(): string {
    return this.#server.url;
  }

  /** What an expression is now. */
  async query(expr: string): Promise<Series[]> {
    const body = new URLSearchParams({ query: expr });
    const response = await fetch(`${this.url}/api/v1/query`, { method: 'POST', body });
    const { error, data } = (await response.json()) as QueryResponse;
    if (!data) throw new Error(`${error}: ${expr}`);
    return data.result.map(({ metric, value: [, value] }) => ({ labels: metric, value: Number(value) }));
  }

  /** The value of an expression that has one series; NaN if it has none yet. */
  async valueOf(expr: string): Promise<number> {
    const [series, second] = await this.query(expr);
    if (second) throw new Error(`More than one series: ${expr}`);
    return series?.value ?? Number.NaN;
  }

  /** Alerts that are pending or fire. */
  async alerts(): Promise<readonly Alert[]> {
    const response = await fetch(`${this.url}/api/v1/alerts`);
    const { data } = (await response.json()) as { readonly data: { readonly alerts: readonly Alert[] } };
    return data.alerts;
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }
}

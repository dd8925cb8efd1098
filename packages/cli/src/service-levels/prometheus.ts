import { type CommandError, unreadableError } from '../exit-code.js';
import { unreachableReason } from '../server/unreachable-reason.js';

/** A query for a month may take as long as Prometheus itself allows by default. */
const TIMEOUT_MS = 120_000;

/** A number that Prometheus has for one set of labels. */
export interface PrometheusSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Answer {
  readonly status?: unknown;
  readonly error?: unknown;
  readonly data?: {
    readonly result?: readonly {
      readonly metric: Readonly<Record<string, string>>;
      readonly value: readonly [seconds: number, value: string];
    }[];
  };
}

/**
 * Asks a Prometheus, or anything that speaks like it, such as Mimir, Thanos and VictoriaMetrics.
 *
 * @see https://prometheus.io/docs/prometheus/latest/querying/api/
 */
export class PrometheusClient {
  readonly #address: URL;
  readonly #token: string | undefined;

  /**
   * @param address - ends with a slash
   * @param token - is sent as `Bearer`. Absent: no credentials are sent
   */
  constructor(address: URL, token: string | undefined) {
    this.#address = address;
    this.#token = token;
  }

  /**
   * Evaluates an expression at a moment. Numbers that are none are left out.
   *
   * @throws CommandError 3 if it cannot be asked, or refuses
   */
  async query(expression: string, atMs: number): Promise<readonly PrometheusSample[]> {
    const url = new URL('api/v1/query', this.#address);
    url.searchParams.set('query', expression);
    url.searchParams.set('time', String(atMs / 1000));
    const response = await this.#get(url);
    const { data, error } = await this.#read(response);
    if (!response.ok || !Array.isArray(data?.result)) throw this.#refusal(response.status, error);
    return data.result
      .map(({ metric, value: [, value] }) => ({ labels: metric, value: Number(value) }))
      .filter(({ value }) => Number.isFinite(value));
  }

  async #get(url: URL): Promise<Response> {
    try {
      return await fetch(url, {
        headers: { accept: 'application/json', ...(this.#token && { authorization: `Bearer ${this.#token}` }) },
        // The token is for this server alone.
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (error) {
      throw unreadableError(`cannot ask ${this.#address.href}: ${unreachableReason(error, TIMEOUT_MS)}`, error);
    }
  }

  async #read(response: Response): Promise<Answer> {
    try {
      return Object(JSON.parse(await response.text())) as Answer;
    } catch (error) {
      if (response.status === 401 || response.status === 403) return {};
      throw unreadableError(`${this.#address.href} answered with status ${response.status}, and no JSON`, error);
    }
  }

  #refusal(status: number, error: unknown): CommandError {
    const { href } = this.#address;
    if (status === 401 || status === 403) {
      return unreadableError(`${href} refuses the token, or wants one (status ${status}): see --token-file`);
    }
    const reason = typeof error === 'string' ? error : `status ${status}, and no numbers`;
    return unreadableError(`${href} cannot answer: ${reason}`);
  }
}

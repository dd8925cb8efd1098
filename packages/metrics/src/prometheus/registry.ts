/** The registry of prom-client 15 or of `@prometheus-io/client` 0.16: the parts that Sluice uses. */
export interface PrometheusRegistry {
  readonly contentType: string;
  metrics(): Promise<string>;
  registerMetric(metric: RegisteredMetric): void;
  getSingleMetric(name: string): unknown;
  removeSingleMetric(name: string): void;
}

/** The library: the parts that Sluice uses. */
export interface PrometheusClient {
  /** The registry that the library has by itself. */
  readonly register: PrometheusRegistry;
}

/**
 * A metric as a registry asks it. A registry also reads its name, its help and its type, which the types of both libraries do
 * not say.
 */
export interface RegisteredMetric {
  get(): Promise<object>;
  reset(): void;
}

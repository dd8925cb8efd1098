/** The registry of prom-client 15 or of `@prometheus-io/client` 0.16: the parts that Sluice uses. */
export interface PrometheusRegistry {
  /** The content type of the text. */
  readonly contentType: string;
  /** Resolves with the text of all metrics now. */
  metrics(): Promise<string>;
  /** Shows a metric from now on. */
  registerMetric(metric: RegisteredMetric): void;
  /** Returns the metric of a name; undefined if there is none. */
  getSingleMetric(name: string): unknown;
  /** Shows the metric of a name no more. */
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
  /** Resolves with the values of the metric now. */
  get(): Promise<object>;
  /** Is called when the registry is reset. Metrics of Sluice stay as they are. */
  reset(): void;
}

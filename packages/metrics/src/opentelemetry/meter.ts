/** Names and values that describe a number in OpenTelemetry. */
export type Attributes = Readonly<Record<string, string>>;

/** What describes an instrument. */
export interface InstrumentOptions {
  /** What the number is. */
  readonly description: string;
  /** The unit, in UCUM. */
  readonly unit: string;
  /** Of a histogram: its buckets. */
  readonly advice?: {
    /** The upper bound of each bucket, in the unit of the histogram. */
    readonly explicitBucketBoundaries: number[];
  };
}

/** A histogram of OpenTelemetry. */
export interface RecordingHistogram {
  /** Counts a value. */
  record(value: number, attributes: Attributes): void;
}

/** Takes the numbers of several instruments at the moment when they are read. */
export interface ObservableResult {
  /** Takes the number of an instrument. */
  observe(instrument: object, value: number, attributes: Attributes): void;
}

/** The meter of `@opentelemetry/api`: the parts that Sluice uses. */
export interface OpenTelemetryMeter {
  /** Makes a counter that is read when metrics are collected. */
  createObservableCounter(name: string, options: InstrumentOptions): object;
  /** Makes a gauge that is read when metrics are collected. */
  createObservableGauge(name: string, options: InstrumentOptions): object;
  /** Makes a gauge whose values of several processes are added. */
  createObservableUpDownCounter(name: string, options: InstrumentOptions): object;
  /** Makes a histogram. */
  createHistogram(name: string, options: InstrumentOptions): RecordingHistogram;
  /** Calls the callback each time metrics are collected. */
  addBatchObservableCallback(callback: (result: ObservableResult) => void, instruments: object[]): void;
  /** Calls the callback no more. */
  removeBatchObservableCallback(callback: (result: ObservableResult) => void, instruments: object[]): void;
}

/** Names and values that describe a number in OpenTelemetry. */
export type Attributes = Readonly<Record<string, string>>;

/** What describes an instrument. */
export interface InstrumentOptions {
  readonly description: string;
  readonly unit: string;
  readonly advice?: { readonly explicitBucketBoundaries: number[] };
}

/** A histogram of OpenTelemetry. */
export interface RecordingHistogram {
  record(value: number, attributes: Attributes): void;
}

/** Takes the numbers of several instruments at the moment when they are read. */
export interface ObservableResult {
  observe(instrument: object, value: number, attributes: Attributes): void;
}

/** The meter of `@opentelemetry/api`: the parts that Sluice uses. */
export interface OpenTelemetryMeter {
  createObservableCounter(name: string, options: InstrumentOptions): object;
  createObservableGauge(name: string, options: InstrumentOptions): object;
  createObservableUpDownCounter(name: string, options: InstrumentOptions): object;
  createHistogram(name: string, options: InstrumentOptions): RecordingHistogram;
  addBatchObservableCallback(callback: (result: ObservableResult) => void, instruments: object[]): void;
  removeBatchObservableCallback(callback: (result: ObservableResult) => void, instruments: object[]): void;
}

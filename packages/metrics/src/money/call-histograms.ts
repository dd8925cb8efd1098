import { getOrCreate } from '@sluice/core/values';
import { Recorder } from '../read/histogram.js';
import type { SampleCollector } from '../read/sample.js';
import { CALL_BUCKETS, type CallMeasures, type CallMetric } from './call-measures.js';
import { onSettledCall } from './settled-call.js';

interface Series {
  readonly labels: readonly string[];
  readonly recorder: Recorder;
}

/** Adds up what calls of models cost, from the moment when it is made. */
export class CallHistograms {
  readonly #series = new Map<CallMetric, Map<string, Series>>();
  /** Ends the adding up. */
  readonly stop: () => void;

  constructor(measures: CallMeasures) {
    this.stop = onSettledCall((call) => {
      for (const { metric, value, labels } of measures.of(call)) this.#recorderOf(metric, labels).add(value);
    });
  }

  /** Adds the histograms to those of a reading. */
  addTo(collector: SampleCollector): void {
    for (const [metric, series] of this.#series) {
      for (const { labels, recorder } of series.values()) collector.add(metric, recorder.read(), ...labels);
    }
  }

  #recorderOf(metric: CallMetric, labels: readonly string[]): Recorder {
    const ofMetric = getOrCreate(this.#series, metric, () => new Map<string, Series>());
    const series = getOrCreate(ofMetric, labels.join('\0'), () => ({
      labels,
      recorder: new Recorder(CALL_BUCKETS[metric]),
    }));
    return series.recorder;
  }
}

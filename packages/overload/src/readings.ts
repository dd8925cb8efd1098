import { stopwatchMs } from '@sluice/core/src/values/clock';
import { SluiceError } from '@sluice/core/src/values/error';
import { NODE } from '@sluice/core/src/values/node';
import { createLoadSignal, type LoadSignalOptions, type SampledLoadSignal } from './load-signal.js';

/** How often the delay of the event loop is measured. */
const RESOLUTION_MS = 10;

const NS_PER_MS = 1e6;

/**
 * A load signal of the delay of the event loop: the longest delay of each sample, in milliseconds. Choose it first: it
 * rises if this process cannot keep up, whatever the cause. Default: not calm from 50 ms, calm again at 20 ms.
 *
 * @throws SluiceError `SLUICE_OPTION`; `SLUICE_UNSUPPORTED` in a runtime that does not measure it
 * @example createLimiter({ limit: 100, window: '1m', elastic: { upTo: 150, while: loopDelay() } });
 */
export function loopDelay(options: Partial<LoadSignalOptions> = {}): SampledLoadSignal {
  const { monitorEventLoopDelay } = measured(NODE?.getBuiltinModule('node:perf_hooks'), 'the delay of its event loop');
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  // The histogram measures the time between two of its timers. Only the part above the resolution is a delay.
  const read = (): number => {
    const delayMs = Math.max(0, histogram.max / NS_PER_MS - RESOLUTION_MS);
    histogram.reset();
    return delayMs;
  };
  const signal = createLoadSignal(read, { name: 'loop-delay', enter: 50, leave: 20, ...options });
  return withCleanUp(signal, () => histogram.disable());
}

/**
 * A load signal of the part of each sample in which the event loop was busy, from 0 to 1. It rises before requests have
 * to wait, but it also rises in a process that is busy without delays. Default: not calm from 0.9, calm again at 0.7.
 *
 * @throws SluiceError `SLUICE_OPTION`; `SLUICE_UNSUPPORTED` in a runtime that does not measure it
 */
export function loopUtilization(options: Partial<LoadSignalOptions> = {}): SampledLoadSignal {
  measured(performance.eventLoopUtilization, 'how busy its event loop is');
  let last = performance.eventLoopUtilization();
  // Measured per sample. Measured since the start of the process, an idle hour would hide a minute of full load.
  const read = (): number => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
  return createLoadSignal(read, { name: 'loop-utilization', enter: 0.9, leave: 0.7, ...options });
}

/**
 * A load signal of the processor time of this process in each sample, in processors: 1 is one fully used processor. The
 * threads of the pool also count. Default: not calm from 0.9, calm again at 0.7.
 *
 * @throws SluiceError `SLUICE_OPTION`; `SLUICE_UNSUPPORTED` in a runtime that does not measure it
 */
export function cpu(options: Partial<LoadSignalOptions> = {}): SampledLoadSignal {
  measured(NODE?.cpuUsage, 'its processor time');
  let [last, lastMs] = [process.cpuUsage(), stopwatchMs()];
  let share = 0;
  const read = (): number => {
    const nowMs = stopwatchMs();
    if (nowMs === lastMs) return share;
    const { user, system } = process.cpuUsage(last);
    share = (user + system) / 1000 / (nowMs - lastMs);
    [last, lastMs] = [process.cpuUsage(), nowMs];
    return share;
  };
  return createLoadSignal(read, { name: 'cpu', enter: 0.9, leave: 0.7, ...options });
}

/**
 * A load signal of the used part of V8's heap limit, from 0 to 1. Default: not calm from 0.85, calm again at 0.7.
 *
 * @throws SluiceError `SLUICE_OPTION`; `SLUICE_UNSUPPORTED` in a runtime that does not measure it
 */
export function heap(options: Partial<LoadSignalOptions> = {}): SampledLoadSignal {
  const { getHeapStatistics } = measured(NODE?.getBuiltinModule('node:v8'), 'the size of its heap');
  const read = (): number => {
    const { used_heap_size: used, heap_size_limit: most } = getHeapStatistics();
    return used / most;
  };
  return createLoadSignal(read, { name: 'heap', enter: 0.85, leave: 0.7, ...options });
}

/** Returns what measures the load. Only Node.js has all of it. */
function measured<T>(measure: T | undefined, what: string): T {
  if (measure) return measure;
  const message = `this runtime does not measure ${what}: make a load signal of another number with createLoadSignal()`;
  throw new SluiceError('SLUICE_UNSUPPORTED', message);
}

/** Returns the signal. Closing it also ends the measurement. */
function withCleanUp(signal: SampledLoadSignal, cleanUp: () => void): SampledLoadSignal {
  return {
    get isCalm() {
      return signal.isCalm;
    },
    get value() {
      return signal.value;
    },
    close() {
      signal.close();
      cleanUp();
    },
  };
}

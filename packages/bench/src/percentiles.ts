export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
}

export function percentilesOf(values: Iterable<number>): Percentiles {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

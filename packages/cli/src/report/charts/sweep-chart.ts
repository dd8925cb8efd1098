import type { SweepResult } from '../../replay/replay-result.js';
import { count } from '../../terminal/counted.js';
import { type Chart, COLORS } from './draw.js';

/** From this ratio on, a linear axis would put most numbers on top of each other. */
const LOGARITHMIC_FROM = 20;

/** Which share of requests and of keys each number of a limit refuses. */
export function sweepChart({ points, requests, keys, knee, current }: SweepResult): Chart {
  const values = points.map(({ quota, requestsRefused, keysRefused }) => ({
    quota,
    requests: requests === 0 ? 0 : requestsRefused / requests,
    keys: keys === 0 ? 0 : keysRefused / keys,
  }));
  const quotas = points.map(({ quota }) => quota);
  const [least, most] = [Math.min(...quotas), Math.max(...quotas)];
  const isLogarithmic = least > 0 && most / least >= LOGARITHMIC_FROM;
  const position = isLogarithmic ? Math.log : Number;
  const isLate = (quota: number): boolean =>
    (position(quota) - position(least)) / (position(most) - position(least)) > 0.6;
  return (width) => {
    const x = {
      field: 'quota',
      type: 'quantitative' as const,
      scale: isLogarithmic ? { type: 'log' as const, nice: false } : { zero: false, nice: false },
      axis: {
        title: 'limit',
        grid: false,
        tickCount: width < 400 ? 4 : 10,
        labelExpr: "format(datum.value, '~s')",
        labelOverlap: true,
      },
    };
    const line = (field: string, color: string, dash: number[]) => ({
      mark: { type: 'line' as const, color, strokeDash: dash, strokeWidth: 2, point: { color, size: 30 } },
      encoding: {
        x,
        y: { field, type: 'quantitative' as const, axis: { title: 'share refused', tickCount: 4, format: '~%' } },
      },
    });
    /** A vertical line, with its text above the plot. */
    const rule = (quota: number, text: string, color: string, row: number) => [
      { data: { values: [{ quota }] }, mark: { type: 'rule' as const, color, strokeWidth: 1.5 }, encoding: { x } },
      {
        data: { values: [{ quota, text }] },
        mark: {
          type: 'text' as const,
          color: COLORS.ink,
          align: isLate(quota) ? ('right' as const) : ('left' as const),
          dy: -6 - 14 * row,
          fontSize: 12,
        },
        encoding: { x, y: { value: 0 }, text: { field: 'text' } },
      },
    ];
    const isWithin = (quota: number): boolean => quota >= least && quota <= most;
    return {
      data: { values },
      width,
      height: 180,
      layer: [
        line('requests', COLORS.requests, [4, 3]),
        line('keys', COLORS.refused, []),
        ...(isWithin(current) ? rule(current, `in the file: ${count(current)}`, COLORS.ink, 0) : []),
        ...(knee === undefined ? [] : rule(knee, `knee: ${count(knee)}`, COLORS.mark, 1)),
      ],
    };
  };
}

import type { ReplayResult } from '../../replay/replay-result.js';
import { type Chart, COLORS } from './draw.js';

/** Requests over time, with the refused ones, and below it which share of them was refused. */
export function timelineChart({ timeline, against, fromMs, toMs }: ReplayResult): Chart {
  const format = timeFormat(toMs - fromMs);
  const values = timeline.map(({ atMs, requests, refused, refusedAgainst }) => ({
    at: atMs,
    requests,
    refused,
    refusedAgainst,
    share: requests === 0 ? 0 : refused / requests,
  }));
  return (width) => {
    const x = (isShown: boolean) => ({
      field: 'at',
      type: 'temporal' as const,
      scale: { type: 'utc' as const },
      axis: {
        title: null,
        grid: false,
        format,
        labels: isShown,
        ticks: isShown,
        tickCount: width < 400 ? 4 : 10,
        labelOverlap: true,
      },
    });
    const y = (field: string, title: string) => ({
      field,
      type: 'quantitative' as const,
      axis: { title, tickCount: 4, labelExpr: "format(datum.value, '~s')" },
    });
    const area = (field: string, color: string) => ({
      mark: { type: 'area' as const, color, interpolate: 'step-after' as const },
      encoding: { x: x(false), y: y(field, 'requests') },
    });
    const old = {
      mark: {
        type: 'line' as const,
        color: COLORS.against,
        strokeDash: [4, 3],
        strokeWidth: 2,
        interpolate: 'step-after' as const,
      },
      encoding: { x: x(false), y: y('refusedAgainst', 'requests') },
    };
    return {
      data: { values },
      vconcat: [
        {
          width,
          height: 180,
          layer: [
            area('requests', COLORS.requests),
            area('refused', COLORS.refused),
            ...(against === undefined ? [] : [old]),
          ],
        },
        {
          width,
          height: 60,
          mark: { type: 'area', color: COLORS.refused, interpolate: 'step-after' },
          encoding: {
            x: x(true),
            y: {
              field: 'share',
              type: 'quantitative',
              axis: { title: 'share refused', tickCount: 2, format: '~%' },
            },
          },
        },
      ],
    };
  };
}

const DAY_MS = 86_400_000;

/** Hours for a day or two, days for more. */
const timeFormat = (spanMs: number): string => (spanMs <= 2 * DAY_MS ? '%H:%M' : '%b %e');

import type { FilePanel, FilledPanel, Point, Sample, Span } from './board-data.js';

/** Draws one chart as SVG. */
export type Draw = (spec: object) => Promise<string>;

const COLUMN_PX = 58;
const ROW_PX = 26;
const LEGEND_ROW_PX = 14;
/** The columns of a dashboard in Grafana. */
const COLUMNS = 24;
/** So many series of zeros are shown. */
const MOST_OF_NOTHING = 3;

const STYLE = `
  body { margin: 0; padding: 16px; width: ${24 * COLUMN_PX}px; background: #f4f5f7; color: #1f2430; font: 13px "DejaVu Sans", sans-serif; }
  .board { position: relative; }
  .panel { position: absolute; box-sizing: border-box; background: #fff; border: 1px solid #dfe2e8; border-radius: 4px; padding: 6px 10px; overflow: hidden; }
  .heading { position: absolute; font-weight: bold; font-size: 15px; padding-top: 6px; }
  h2 { margin: 0 0 4px; font-size: 12px; font-weight: bold; }
  .number { font-size: 38px; text-align: center; padding-top: 6px; color: #2a7a3b; }
  .number.warns { color: #c4620c; }
  table { border-collapse: collapse; width: 100%; font-size: 11px; }
  th, td { text-align: left; padding: 2px 6px; border-bottom: 1px solid #eceef2; }
  td.value { text-align: right; }
`;

/** A page with the panels of a dashboard in their places, filled with what a Prometheus answered. */
export async function page(filled: readonly FilledPanel[], span: Span, draw: Draw): Promise<string> {
  const panels: string[] = [];
  const placed = withoutEmpty(filled);
  for (const one of placed) panels.push(await shown(one, span, draw));
  const height = Math.max(...placed.map(({ panel: { gridPos } }) => gridPos.y + gridPos.h)) * ROW_PX;
  return `<!doctype html><meta charset="utf-8"><title>Sluice</title><style>${STYLE}</style><div class="board" style="height:${height}px">${panels.join('')}</div>`;
}

/** Leaves out charts without a point and headings of nothing, and moves the others together. */
function withoutEmpty(filled: readonly FilledPanel[]): FilledPanel[] {
  const drawn = filled.filter(({ panel, points }) => panel.type !== 'timeseries' || points.length > 0);
  const isHeading = (one: FilledPanel | undefined): boolean => one === undefined || one.panel.type === 'row';
  let [x, y, lineHeight] = [0, 0, 0];
  return drawn
    .filter((one, i) => !(isHeading(one) && isHeading(drawn[i + 1])))
    .map((one) => {
      const { w, h } = one.panel.gridPos;
      if (isHeading(one) || x + w > COLUMNS) [x, y, lineHeight] = [0, y + lineHeight, 0];
      const gridPos = { ...one.panel.gridPos, x, y };
      [x, lineHeight] = [x + w, Math.max(lineHeight, h)];
      return { ...one, panel: { ...one.panel, gridPos } };
    });
}

/** The series that say something: those that are not always 0, or the first ones if all are. */
function toldOf(points: readonly Point[]): readonly Point[] {
  const told = new Set(points.filter(({ value }) => value !== 0).map(({ series }) => series));
  if (told.size === 0) for (const { series } of points) if (told.size < MOST_OF_NOTHING) told.add(series);
  return points.filter(({ series }) => told.has(series));
}

async function shown({ panel, points, samples }: FilledPanel, span: Span, draw: Draw): Promise<string> {
  const { x, y, w, h } = panel.gridPos;
  const place = `left:${x * COLUMN_PX}px;top:${y * ROW_PX}px;width:${w * COLUMN_PX - 8}px;height:${h * ROW_PX - 8}px`;
  if (panel.type === 'row') return `<div class="heading" style="${place}">${escaped(panel.title)}</div>`;
  const body =
    panel.type === 'timeseries'
      ? await draw(chartOf(panel, toldOf(points), span))
      : panel.type === 'stat'
        ? numberOf(panel, samples)
        : tableOf(panel, samples);
  return `<section class="panel" style="${place}"><h2>${escaped(panel.title)}</h2>${body}</section>`;
}

const FORMATS: Readonly<Record<string, string>> = { percentunit: '.0%', s: '.2~s' };

/** A line for each series, or areas on top of each other, in Vega-Lite. */
function chartOf({ gridPos, fieldConfig }: FilePanel, points: readonly Point[], { startMs, endMs }: Span): object {
  const { unit = 'short', thresholds, custom } = fieldConfig?.defaults ?? {};
  const isStacked = custom?.stacking.mode === 'normal';
  const warnsAt = thresholds?.steps.at(1)?.value ?? undefined;
  const most = Math.max(0, ...points.map(({ value }) => value));
  const isNear = warnsAt !== undefined && most > warnsAt / 2;
  const names = [...new Set(points.map(({ series }) => series))];
  // Without a screen, Vega takes a letter for 0.8 of its height wide, which is more than it is.
  const columns = Math.min(
    4,
    Math.max(1, Math.floor(440 / (16 + 7 * Math.max(0, ...names.map(({ length }) => length))))),
  );
  const legendPx = LEGEND_ROW_PX * Math.ceil(names.length / columns);
  const suffix = unit === 's' ? ' + "s"' : '';
  const mark = isStacked
    ? { type: 'area', opacity: 0.35, line: { strokeWidth: 1 }, interpolate: 'monotone' }
    : { type: 'line', strokeWidth: 1.5 };
  return {
    width: gridPos.w * COLUMN_PX - 82,
    height: gridPos.h * ROW_PX - 78 - legendPx,
    autosize: { type: 'pad' },
    background: null,
    config: {
      font: 'DejaVu Sans',
      view: { stroke: null },
      axis: { gridColor: '#eceef2', domain: false, ticks: false, labelColor: '#5c6370', labelFontSize: 10 },
      legend: {
        orient: 'bottom',
        direction: 'horizontal',
        columns,
        title: null,
        labelFontSize: 10,
        labelLimit: 200,
        symbolSize: 40,
      },
    },
    layer: [
      {
        data: { values: points },
        mark,
        encoding: {
          x: {
            field: 'atMs',
            type: 'temporal',
            title: null,
            scale: { type: 'utc', domain: [startMs, endMs] },
            axis: { format: '%H:%M:%S', tickCount: 5 },
          },
          y: {
            field: 'value',
            type: 'quantitative',
            title: null,
            stack: isStacked ? 'zero' : null,
            scale: { domainMin: Math.min(0, ...points.map(({ value }) => value)), ...(most === 0 && { domainMax: 1 }) },
            axis: { tickCount: 4, labelExpr: `format(datum.value, "${FORMATS[unit] ?? '~g'}")${suffix}` },
          },
          color: { field: 'series', type: 'nominal', scale: { scheme: 'tableau10' } },
        },
      },
      ...(isNear
        ? [
            {
              data: { values: [{ value: warnsAt }] },
              mark: { type: 'rule', strokeDash: [4, 4], color: '#c4620c' },
              encoding: { y: { field: 'value', type: 'quantitative' } },
            },
          ]
        : []),
    ],
  };
}

function numberOf({ fieldConfig }: FilePanel, [sample]: readonly Sample[]): string {
  const { unit = 'short', thresholds } = fieldConfig?.defaults ?? {};
  const value = sample?.value ?? Number.NaN;
  const warnsAt = thresholds?.steps.at(1)?.value ?? Number.POSITIVE_INFINITY;
  return `<div class="number${value >= warnsAt ? ' warns' : ''}">${escaped(written(value, unit))}</div>`;
}

function written(value: number, unit: string): string {
  if (!Number.isFinite(value)) return 'No data';
  if (unit === 'percentunit') return `${(value * 100).toFixed(1)}%`;
  const short = Number(value.toPrecision(3)).toString();
  return unit === 'reqps' ? `${short} req/s` : unit === 's' ? `${short} s` : short;
}

/** A row for each set of labels, and a column for each query. */
function tableOf({ targets = [], transformations, fieldConfig }: FilePanel, samples: readonly Sample[]): string {
  const names = Object.values(transformations?.[1].options.renameByName ?? {});
  const labels = [...new Set(samples.flatMap((sample) => Object.keys(sample.labels)))];
  const rows = new Map<string, Sample[]>();
  for (const sample of samples) {
    const key = JSON.stringify(labels.map((label) => sample.labels[label] ?? ''));
    rows.set(key, [...(rows.get(key) ?? []), sample]);
  }
  const cells = [...rows.values()].map((own) => {
    const values = targets.map((_, i) => own.find(({ target }) => target === i)?.value);
    const named = labels.map((label) => `<td>${escaped(own[0]?.labels[label] ?? '')}</td>`);
    const isShare = fieldConfig?.defaults?.unit === 'percentunit';
    const texts = values.map((value) =>
      isShare && value !== undefined ? written(value, 'percentunit') : (value ?? ''),
    );
    return `<tr>${named.join('')}${texts.map((text) => `<td class="value">${text}</td>`).join('')}</tr>`;
  });
  const heads = [...labels, ...names].map((name) => `<th>${escaped(name)}</th>`);
  return `<table><tr>${heads.join('')}</tr>${cells.join('')}</table>`;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

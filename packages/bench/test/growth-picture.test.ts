import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { drawGrowth, grownFigures } from '../src/pictures/growth.js';
import { readResults } from '../src/results/kept-results.js';

const KEPT = readResults();

describe('The picture of growth', () => {
  it('shows what was kept', () => {
    if (drawGrowth(KEPT) === readFileSync(join(__dirname, '../results/growth.svg'), 'utf8')) return;
    throw new Error('growth.svg is stale: run npm run pictures');
  });

  it('is not drawn of what was not kept', () => {
    expect(drawGrowth({})).toBeUndefined();
  });

  it.each(grownFigures(KEPT).map((figures) => [figures.title, figures] as const))(
    'has no line of Sluice that rises faster than the size: %s',
    (_, { lines }) => {
      for (const [name, points] of lines) {
        expect(points.length).toBeGreaterThan(1);
        const [first] = points;
        if (name === 'map' || !first) continue;
        for (const { size, value } of points) expect(value / first.value).toBeLessThanOrEqual(size / first.size);
      }
    },
  );
});

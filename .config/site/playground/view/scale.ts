import { computed, onBeforeUnmount, onMounted, ref } from 'vue';
import { COLUMNS } from '../model/state.js';
import { timeText } from './words.js';

const LEFT = 40;
const RIGHT = 8;

/** The width of charts, in units that are about a pixel. */
const WIDE = 720;
const NARROW = 380;

/** The sizes that the charts share, so that their times stand below each other. */
interface Scale {
  readonly width: number;
  readonly left: number;
  readonly end: number;
  readonly column: number;
  /** Where a time is. */
  xOf(atMs: number, columnMs: number): number;
  /** The times that the axis names. */
  ticks(columnMs: number): readonly { readonly x: number; readonly text: string; readonly anchor: string }[];
}

function scaleFor(width: number): Scale {
  const column = (width - LEFT - RIGHT) / COLUMNS;
  const step = width === WIDE ? 10 : 20;
  return {
    width,
    left: LEFT,
    end: width - RIGHT,
    column,
    xOf: (atMs, columnMs) => LEFT + (atMs / columnMs) * column,
    ticks: (columnMs) =>
      Array.from({ length: COLUMNS / step + 1 }, (_, i) => ({
        x: LEFT + i * step * column,
        text: timeText(i * step * columnMs),
        anchor: i * step === COLUMNS ? 'end' : i === 0 ? 'start' : 'middle',
      })),
  };
}

const SCALES = [scaleFor(WIDE), scaleFor(NARROW)] as const;

/** Returns the scale for the width of the window. */
export function useScale() {
  const isNarrow = ref(false);
  let query: MediaQueryList | undefined;
  const look = (): void => {
    isNarrow.value = query?.matches ?? false;
  };
  onMounted(() => {
    query = matchMedia('(max-width: 640px)');
    query.addEventListener('change', look);
    look();
  });
  onBeforeUnmount(() => query?.removeEventListener('change', look));
  return computed(() => SCALES[isNarrow.value ? 1 : 0]);
}

const NICE = [1, 2, 5];

/** Returns the smallest of 1, 2, 5, 10, 20 and so on that is at least this. */
export function niceAbove(value: number): number {
  for (let power = 1; ; power *= 10) {
    for (const nice of NICE) if (nice * power >= value) return nice * power;
  }
}

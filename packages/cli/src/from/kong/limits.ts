import type { LimitSpec, Note } from '../conversion.js';
import { isLimit } from '../is-limit.js';
import type { YamlValue } from '../yaml-value.js';
import type { LimitPlugin } from './plugins.js';

/** The limits of one plugin, by the name of their period. */
interface PluginLimits {
  readonly specs: ReadonlyMap<string, LimitSpec>;
  readonly notes: readonly Note[];
}

/** The windows of `rate-limiting`. They begin at multiples of their length; days and months are those of UTC. */
const PERIODS: Readonly<Record<string, unknown>> = {
  second: '1s',
  minute: '1m',
  hour: '1h',
  day: '1d',
  month: { unit: 'month', timeZone: 'UTC' },
};

/** Returns the limits of a plugin. */
export function limitsOf(plugin: LimitPlugin): PluginLimits {
  return plugin.name === 'rate-limiting' ? simple(plugin) : advanced(plugin);
}

function simple({ config, place }: LimitPlugin): PluginLimits {
  const specs = new Map<string, LimitSpec>();
  const notes: Note[] = [];
  for (const [period, window] of Object.entries(PERIODS)) {
    const value = config.get(period);
    if (!value.exists) continue;
    const limit = wholeOf(value);
    const spec = limit === undefined ? undefined : fixed(limit, window);
    if (spec && isLimit(spec)) specs.set(period, spec);
    else notes.push(notANumber(period, value));
  }
  const year = config.get('year');
  if (year.exists)
    notes.push({
      kind: 'left out',
      text: `year: ${year.written} (${year.place}): the longest calendar window is a month`,
    });
  if (specs.size > 0) notes.push({ kind: 'from', text: `rate-limiting ${written(specs)} (${place})` });
  return { specs, notes };
}

/** `limit` and `window_size` are lists; windows slide by default, with the part of the last window that still counts. */
function advanced({ config, place }: LimitPlugin): PluginLimits {
  const specs = new Map<string, LimitSpec>();
  const notes: Note[] = [];
  const sizes = listOf(config.get('window_size'));
  const isFixed = config.get('window_type').text === 'fixed';
  for (const [i, value] of listOf(config.get('limit')).entries()) {
    const [limit, seconds] = [wholeOf(value), sizes[i] && wholeOf(sizes[i])];
    if (limit === undefined || seconds === undefined || seconds === 0) {
      notes.push(notANumber('limit', value));
      continue;
    }
    const window = `${seconds}s`;
    const spec = isFixed ? fixed(limit, window) : { algorithm: 'sliding-window-counter', limit, window };
    if (isLimit(spec)) specs.set(`per-${seconds}s`, spec);
    else notes.push(notANumber('limit', value));
  }
  if (specs.size > 0) notes.push({ kind: 'from', text: `rate-limiting-advanced ${written(specs)} (${place})` });
  if (!isFixed && !config.get('disable_penalty').isTrue)
    notes.push({
      kind: 'differs',
      text: 'Kong counts refused requests, too, so a client that does not stop stays out longer. countRejected: true does that here',
    });
  return { specs, notes };
}

const fixed = (limit: number, window: unknown): LimitSpec =>
  typeof window === 'string'
    ? { algorithm: 'fixed-window', limit, window, align: 'clock' }
    : { algorithm: 'fixed-window', limit, window };

const listOf = (value: YamlValue): YamlValue[] => (value.number === undefined ? value.items : [value]);

function wholeOf({ number }: YamlValue): number | undefined {
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

function notANumber(name: string, value: YamlValue): Note {
  return {
    kind: 'left out',
    text: `${name}: ${value.written} (${value.place}): it is not a number that can be counted`,
  };
}

const written = (specs: PluginLimits['specs']): string =>
  [...specs].map(([period, { limit }]) => `${period}: ${limit}`).join(', ');

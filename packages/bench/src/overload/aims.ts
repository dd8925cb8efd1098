import { type Spread, spreadOf } from '../spread.js';
import { figure } from '../table.js';
import { ms, percent } from './figures.js';
import { HANDLERS, type HandlerName } from './handlers.js';
import { PATIENCE_MS } from './outcome.js';
import { isOf, keptOfIdeal, type Point, type Results, type Run, type Series, seriesOf, spreadAt } from './results.js';

/** What shedLoad should do. */
export interface Aim {
  /** With the median and the spread where it came nearest to missing it. */
  readonly text: string;
  readonly isReached: boolean;
  /** Whether it is so far from reached that the run fails, because no noise of the machine explains it. */
  readonly isFarOff: boolean;
}

/** An aim of a kind of server. */
interface Rule {
  readonly what: string;
  readonly at: (times: number) => boolean;
  readonly valueIn: (point: Point, run: Run, results: Results) => number;
  readonly isLeast: boolean;
  readonly aim: number;
  /** Beyond it, a run fails. */
  readonly farOff: number;
  readonly print: (value: number) => string;
}

const isAbove = (times: number): boolean => times > 1;

const SOON = 'served within 250 ms at the capacity';
const CRITICAL = 'of the critical requests above it';

/**
 * What an oracle reaches in the simulator, which knows how long all queues are: no shedder can do better. Only what is less than the aim.
 * `packages/overload/test/every-load` measures it.
 */
const POSSIBLE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  sync: { [CRITICAL]: '65 % at 4 where a refusal takes 0.35 ms' },
  mixed: { [CRITICAL]: '65 % at 4 where a refusal takes 0.35 ms' },
  downstream: { [SOON]: '87 %', [CRITICAL]: '90 % at 4' },
  'downstream, with a quota': { [SOON]: '87 %', [CRITICAL]: '90 % at 4' },
};

const RULES: readonly Rule[] = [
  {
    what: 'refused at 0.75 times the capacity',
    at: (times) => times === 0.75,
    ...{ valueIn: ({ outcome }) => outcome.shed, isLeast: false, aim: 0.001, farOff: 0.1, print: percent },
  },
  {
    what: SOON,
    at: (times) => times === 1,
    ...{ valueIn: ({ outcome }) => outcome.soon, isLeast: true, aim: 0.95, farOff: 0.7, print: percent },
  },
  {
    what: 'of the ideal above it',
    at: isAbove,
    ...{ valueIn: keptOfIdeal, isLeast: true, aim: 0.95, farOff: 0.5, print: percent },
  },
  {
    what: 'p99 of the admitted above it',
    at: isAbove,
    ...{
      valueIn: ({ outcome }) => outcome.p99Ms ?? PATIENCE_MS,
      isLeast: false,
      aim: 200,
      farOff: PATIENCE_MS,
      print: ms,
    },
  },
  {
    what: CRITICAL,
    at: isAbove,
    ...{ valueIn: ({ outcome }) => outcome.goodOf.critical, isLeast: true, aim: 0.98, farOff: 0.5, print: percent },
  },
];

/** Says how nearly shedLoad does what it should, without and with a quota, and what its refusals cost. */
export function aimsOf(results: Results): Aim[] {
  const all = seriesOf(results).filter(({ subject }) => subject.protection === 'shedLoad');
  const ofServers = [false, true].flatMap((isHeld) =>
    (Object.keys(HANDLERS) as HandlerName[]).flatMap((handler) => {
      const series = all.filter(isOf(handler, isHeld));
      const name = `${handler}${isHeld ? ', with a quota' : ''}`;
      return series.length === 0 ? [] : RULES.map((rule) => aimOf(name, rule, series, results));
    }),
  );
  return [...ofServers, ...aimsOfRefusals(results)];
}

/** The load and the framework that came nearest to missing it decide. */
function aimOf(name: string, rule: Rule, all: readonly Series[], results: Results): Aim {
  const { what, at, valueIn, isLeast, aim, farOff, print } = rule;
  const found = all.flatMap((series) =>
    timesOf(series)
      .filter(at)
      .map((times) => ({
        where: `${series.subject.host} at ${times}`,
        spread: spreadAt(series, times, (point, run) => valueIn(point, run, results)),
      })),
  );
  const isWorse = (one: number, other: number): boolean => (isLeast ? one < other : one > other);
  const worst = found.reduce((one, other) => (isWorse(other.spread.median, one.spread.median) ? other : one));
  const { median } = worst.spread;
  const isReached = !isWorse(median, aim);
  const possible = isReached ? undefined : POSSIBLE[name]?.[what];
  const limit = possible === undefined ? '' : `; an oracle in the simulator: ${possible}`;
  return {
    text: `${name}: ${printed(worst.spread, print)} ${what} (${worst.where}; aim: at ${isLeast ? 'least' : 'most'} ${print(aim)}${limit})`,
    isReached,
    isFarOff: isWorse(median, farOff) || median === PATIENCE_MS,
  };
}

const timesOf = ({ runs }: Series): number[] => [
  ...new Set(runs.flatMap(({ points }) => points.map(({ times }) => times))),
];

const MOST_TIMES_OWN = 1.2;

function aimsOfRefusals({ costs }: Results): Aim[] {
  const hosts = [...new Set(costs.map(({ host }) => host))];
  return hosts.map((host) => {
    const own = costs.filter((cost) => cost.host === host);
    const spread = spreadOf(own.map(({ ownMs, shedLoadMs }) => shedLoadMs / ownMs));
    return {
      text: `a refusal on ${host}: ${printed(spread, figure)} times its own 503 (aim: at most ${MOST_TIMES_OWN})`,
      isReached: spread.median <= MOST_TIMES_OWN,
      isFarOff: spread.median > 3,
    };
  });
}

export function printed({ median, least, most }: Spread, print: (value: number) => string): string {
  return least === most ? print(median) : `${print(median)} (${print(least)} to ${print(most)})`;
}

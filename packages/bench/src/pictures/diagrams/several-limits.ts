import { createLimiter, MemoryStore, slidingWindow } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { box, legend, sheet, text } from './sheet.js';

const HOUR = slidingWindow({ name: 'hour', limit: 6, window: '1h' });
const MINUTE = slidingWindow({ name: 'minute', limit: 2, window: '1m' });
const REQUESTS = 5;

/** What became of five requests: whether each passed, and how much of each limit is used after it. */
interface Story {
  readonly passed: readonly boolean[];
  readonly hour: readonly number[];
  readonly minute: readonly number[];
}

/** Both limits in one policy. */
function inOneStep(): Story {
  const limiter = createLimiter({ limits: [HOUR, MINUTE], store: new MemoryStore({ clock: new ManualClock() }) });
  return storyOf(() => {
    const { allowed } = limiter.consume('ann');
    const [hour, minute] = limiter.peek('ann').verdicts.map(({ used }) => used);
    return { allowed, hour: hour as number, minute: minute as number };
  });
}

/** A limiter for each limit, asked one after the other, as two middlewares are. */
function oneAfterTheOther(): Story {
  const clock = new ManualClock();
  const [hours, minutes] = [HOUR, MINUTE].map((limit) => createLimiter({ limit, store: new MemoryStore({ clock }) }));
  return storyOf(() => {
    const allowed = hours?.consume('ann').allowed === true && minutes?.consume('ann').allowed === true;
    const [hour, minute] = [hours, minutes].map((limiter) => limiter?.peek('ann').tightest.used);
    return { allowed, hour: hour as number, minute: minute as number };
  });
}

function storyOf(ask: () => { allowed: boolean; hour: number; minute: number }): Story {
  const asked = Array.from({ length: REQUESTS }, ask);
  return {
    passed: asked.map(({ allowed }) => allowed),
    hour: asked.map(({ hour }) => hour),
    minute: asked.map(({ minute }) => minute),
  };
}

const CELL = 22;
const LEFT = 116;
const PANEL = 350;

/** Draws five requests that come at once, under a limit of two a minute and one of six an hour. */
export function drawSeveralLimits(): string {
  const stories = [
    ['One limiter after the other', oneAfterTheOther()],
    ['Sluice: both limits in one step', inOneStep()],
  ] as const;
  return sheet({
    title: 'Five requests at once, of 2 a minute and 6 an hour',
    description: stories
      .map(([name, { passed, hour, minute }]) => {
        const count = passed.filter(Boolean).length;
        return `${name}: ${count} pass, ${minute.at(-1)} of the minute and ${hour.at(-1)} of the hour are used.`;
      })
      .join(' '),
    height: 210,
    body: [
      legend(40, { now: 'spent by a request that passed', refused: 'spent by a request that was refused' }),
      ...stories.flatMap(([name, story], i) => drawStory(name, story, 16 + i * PANEL)),
    ],
  });
}

function drawStory(name: string, { passed, hour, minute }: Story, left: number): string[] {
  const admitted = passed.filter(Boolean).length;
  const [hours, minutes] = [hour.at(-1) as number, minute.at(-1) as number];
  return [
    text(left, 84, name, 'title'),
    text(left, 113, 'answers'),
    ...passed.map((isPassed, i) => text(left + LEFT + i * 34, 113, isPassed ? '200' : '429', isPassed ? '' : 'soft')),
    ...meter('minute: 2', left, 128, 2, admitted, minutes),
    ...meter('hour: 6', left, 158, 6, admitted, hours),
    text(left, 196, `${6 - hours} of the hour's 6 are left`, 'soft'),
  ];
}

/** The units of a limit: those that requests spent which passed, then those of the others. */
function meter(label: string, left: number, top: number, limit: number, admitted: number, used: number): string[] {
  const cells = Array.from({ length: limit }, (_, i) => {
    const style = i < admitted ? 'now' : i < used ? 'refused' : 'box';
    return box(left + LEFT + i * (CELL + 4), top, CELL, CELL, style);
  });
  return [text(left, top + 16, label), ...cells];
}

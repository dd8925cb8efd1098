// Proves in workerd that requests of one process do not fail or hang by one another, where each has its own timers and signals.
import { isDeepStrictEqual } from 'node:util';
import { bundle } from './bundle.mjs';
import { inWorkerd } from './runtimes.mjs';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** From what requests do at the same time to how they are asked, and what they have to be answered. */
const SCENES = {
  'wait because of maxWait': async (ask) => [
    await Promise.all(Array.from({ length: 4 }, () => ask('/waiting'))),
    Array(4).fill('200 hello'),
  ],
  'wait by limiter.wait': async (ask) => [
    await Promise.all(Array.from({ length: 4 }, () => ask('/wait'))),
    Array(4).fill('200 true'),
  ],
  'give way to one another': async (ask) => {
    for (const key of ['ann', 'bob']) await ask(`/slowed?key=${key}`);
    const answers = await Promise.all(['ann', 'ann', 'bob'].map((key) => ask(`/slowed?key=${key}`)));
    return [answers.map((answer) => answer.slice(0, 3)), ['200', '200', '503']];
  },
  'hold slots longer than their lease, which others have begun to renew': async (ask) => {
    const first = ask('/slots?ms=100');
    const second = ask('/slots?ms=3500');
    await first;
    await sleep(2500);
    const answers = await Promise.all(Array.from({ length: 3 }, () => ask('/slots?ms=100')));
    await second;
    return [answers.map((answer) => answer.slice(0, 5)).sort(), ['200 2', '429 {', '429 {']];
  },
  'have reservations that end by themselves': async (ask) => {
    const answers = await Promise.all([60_000, 400, 200].map((ms) => ask(`/held?ms=${ms}`)));
    return [answers, Array(3).fill('200 1')];
  },
};

/** Plays all scenes at the same time, and reports each. */
async function playAll(fetch, name, report) {
  const ask = async (path) => {
    const response = await fetch(`http://worker.example${path}`);
    return `${response.status} ${await response.text()}`;
  };
  const played = Object.entries(SCENES).map(async ([what, play]) => {
    const [answers, expected] = await play(ask);
    const isSame = isDeepStrictEqual(answers, expected);
    report(
      `requests of one Worker ${name} that ${what}`,
      isSame ? 'each is answered as by a process of its own' : 'they are answered in another way',
      isSame ? [] : [JSON.stringify({ answers, expected })],
    );
  });
  await Promise.all(played);
}

/** @param report - prints a line, and what has failed */
export async function proveRequests(report) {
  const { code } = await bundle('requests-worker.mjs');
  for (const flags of [[], ['nodejs_compat']]) {
    const name = `with${flags.length > 0 ? '' : 'out'} nodejs_compat`;
    await inWorkerd(code, flags, (fetch) => playAll(fetch, name, report));
  }
}

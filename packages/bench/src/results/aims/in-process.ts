import { inProcess, of } from '../columns.js';
import { type Aim, ALGORITHMS, atMost, ofEach } from './aim.js';

export const IN_PROCESS: readonly Aim[] = [
  {
    measure: 'One hot key, fresh strings: time, times a Map counter',
    aim: 'at most 1',
    figures: ofEach(ALGORITHMS, inProcess('one hot key, allowed', 'times a bare Map counter'), atMost(1)),
    why: {
      text: 'A decision passes as a request, a check, a response and an outcome: 600 bytes. Of its time, the store takes a third, the clock a quarter, asking the store a sixth, the engine and the checks a seventh.',
      page: '../docs/in-process.md',
    },
  },
  ...(['100,000 keys', '1,000,000 keys by Zipf’s law'] as const).map((load) => ({
    measure: `${load}: time, times a Map counter`,
    aim: 'at most 0.5',
    figures: ofEach(ALGORITHMS, inProcess(load, 'times a bare Map counter'), atMost(0.5)),
    why: {
      text: 'A look-up waits for memory twice, and reading the 36 characters of a key takes half as long again.',
      page: '../docs/in-process.md',
    },
  })),
  {
    measure: 'The longest turn while a million keys expire: ms of the processor',
    aim: 'at most 2.5 more than an idle process',
    figures: ofEach(ALGORITHMS, of('expiry', 'in processor time, ms'), (ms, idleMs) => ms <= idleMs + 2.5).map(
      (figure) => ({ ...figure, beside: ['nothing: an idle process'] }),
    ),
    why: {
      text: 'A sweep ends after a millisecond. Where each turn was told, all that took longer were collections of garbage, which give back the memory of forgotten keys.',
      page: '../docs/in-process.md',
    },
  },
];

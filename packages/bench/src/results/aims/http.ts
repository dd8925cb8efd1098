import { HOSTS } from '../../contenders/http/index.js';
import { IDENTITIES } from '../../contenders/http/serve.js';
import { TOLD_APART } from '../../sections/http.js';
import { of, overHttp, wholeRequest } from '../columns.js';
import { type Aim, type AimedFigure, atMost, atMostTheOther, type IsReached } from './aim.js';

function ofHost(name: string, beside: string, isReached: IsReached): AimedFigure {
  const column = overHttp(name, 'allowed');
  return { name, column, row: 'Sluice', beside: [beside], isReached, intervals: column };
}

export const HTTP: readonly Aim[] = [
  {
    measure: 'Clients by address behind a proxy: µs of the processor more than the bare route',
    aim: 'at most the peer’s',
    figures: [...HOSTS].flatMap(([host, { peer }]) => (peer === undefined ? [] : [ofHost(host, peer, atMostTheOther)])),
    why: {
      text: 'All code is cold between two requests, and Sluice has more than the plugin, which counts a fixed window and sends three fields.',
      page: '../docs/http.md',
    },
  },
  {
    measure: 'The same, beside a Map counter that sends the same fields',
    aim: 'at most 1.2 times',
    figures: ['Express', 'Fastify'].map((host) => {
      return ofHost(host, 'bare Map counter', (value, other) => value <= 1.2 * other);
    }),
    why: {
      text: 'All code is cold between two requests, and a Map counter has hardly any. Warm and without a network, the two are within 1.2.',
      page: '../docs/http.md',
    },
  },
  {
    measure: 'A whole request: µs of the processor, beside one with a Map counter that sends the same fields',
    aim: 'at most 1.1 times',
    figures: IDENTITIES.flatMap((identity) =>
      [...HOSTS.keys()].map((host) => ({
        name: `${host}, ${TOLD_APART[identity]}`,
        column: wholeRequest(host, identity),
        row: 'Sluice',
        beside: ['bare Map counter'],
        isReached: (value: number, other: number) => value <= 1.1 * other,
        intervals: overHttp(host, 'allowed', identity),
      })),
    ),
    why: {
      text: 'All code is cold between two requests, and a Map counter has hardly any.',
      page: '../docs/http.md',
    },
  },
  {
    measure: 'Bytes that an admitted request allocates, in the half that frameworks share',
    aim: 'at most 1,300',
    figures: [{ column: of('admission', 'bytes allocated'), row: 'Sluice', isReached: atMost(1_300) }],
    why: { text: 'A request keeps what may be corrected at its end.', page: '../docs/http.md' },
  },
];

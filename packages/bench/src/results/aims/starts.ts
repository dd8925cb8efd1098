import { OURS } from '../../starts/programs.js';
import { type Aim, type AimedFigure, atMostTheOther } from './aim.js';

/** Beside the slowest peer of its kind. */
function startOf(kind: string, beside: string): AimedFigure {
  const column = { section: 'starts', caption: [`${kind}: `, ''], head: 'hundredth answer' } as const;
  return { name: kind, column, row: OURS, beside: [beside], isReached: atMostTheOther };
}

/** What a process takes that has just started. */
export const STARTING: readonly Aim[] = [
  {
    measure: 'From the start of a process to its hundredth answer: ms',
    aim: 'at most the slowest peer’s',
    figures: [
      startOf('In memory', 'rate-limiter-flexible'),
      startOf('Over Redis, `ready()` included', 'rate-limiter-flexible'),
      startOf('Express', 'express-rate-limit'),
      startOf('Fastify', '@fastify/rate-limit'),
      startOf('Nest on Express', '@nestjs/throttler'),
    ],
    why: {
      text: 'V8 looks through all source that is loaded: 490 kB for Express, 60 for its peer. By instructions a start takes 1.00 times the peer’s in memory, 1.05 on Express, 1.07 on Fastify (`node packages/bench/measure/start-instructions.mjs`).',
      page: '../docs/in-process.md',
    },
  },
];

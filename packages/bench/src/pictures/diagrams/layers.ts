import { arrow, box, sheet, text } from './sheet.js';

interface Layer {
  readonly name: string;
  readonly says: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

const HALF = 224;
const WHOLE = 464;
const LEFT = 16;
const RIGHT = 256;
const STEP = 58;
const TOP = 46;

/** From the top to the bottom: a layer imports only from layers below it. */
const LAYERS: readonly Layer[] = [
  { name: 'express  fastify  nestjs  hono', says: 'one package for each framework', x: LEFT, y: 0, width: WHOLE },
  { name: 'core/entries', says: 'what users import', x: LEFT, y: 1, width: WHOLE },
  { name: 'overload', says: 'how busy this process is', x: LEFT, y: 2, width: HALF },
  { name: 'distributed', says: 'stores in front of stores', x: RIGHT, y: 2, width: HALF },
  { name: 'http', says: 'request, decision, response', x: LEFT, y: 3, width: HALF },
  { name: 'remote', says: 'stores over a network', x: RIGHT, y: 3, width: HALF },
  { name: 'limiter', says: 'policies, checks, decisions, waiting', x: LEFT, y: 4, width: WHOLE },
  { name: 'stores', says: 'the contract, and the store in memory', x: LEFT, y: 5, width: WHOLE },
  { name: 'algorithms', says: 'whole numbers, without clock and store', x: LEFT, y: 6, width: WHOLE },
  { name: 'values', says: 'durations, keys, limits, errors, events', x: LEFT, y: 7, width: WHOLE },
];

/** Draws the layers of the code. */
export function drawLayers(): string {
  const bottom = TOP + 8 * STEP;
  return sheet({
    title: 'Each layer imports only from those below it',
    description: LAYERS.map(({ name, says }) => `${name}: ${says}.`).join(' '),
    height: bottom + 8,
    body: [
      ...LAYERS.flatMap(({ name, says, x, y, width }) => {
        const top = TOP + y * STEP;
        return [box(x, top, width, 44), text(x + 12, top + 18, name, 'code'), text(x + 12, top + 35, says, 'soft')];
      }),
      ...drawBeside('redis  postgres', 'one for each database', 3),
      ...drawBeside('core/src', 'four folders of one package', 4, false),
    ],
  });
}

/** What stands beside the layers: it imports from the layer at its left. */
function drawBeside(name: string, says: string, y: number, imports = true): string[] {
  const top = TOP + y * STEP;
  const x = 500;
  const drawn = [text(x + 12, top + 18, name, 'code'), text(x + 12, top + 35, says, 'soft')];
  if (imports) return [box(x, top, 200, 44), ...drawn, arrow(x, top + 22, RIGHT + HALF, top + 22)];
  return [`<path class="line" d="M${x - 8} ${top}h8v${3 * STEP + 44}h-8"/>`, ...drawn];
}

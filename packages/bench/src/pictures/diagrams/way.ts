import { arrow, box, sheet, text, wrapped } from './sheet.js';

/** The steps of a decision, and where each is. */
const STEPS: readonly (readonly [name: string, says: string, where: string])[] = [
  ['describe', 'key, cost, tier and priority of the request', 'http, limiter'],
  ['checks', 'one for each limit of the policy', 'limiter'],
  ['ask', 'the store, once, with a deadline', 'limiter, store'],
  ['decide', 'the arithmetic of all limits, in one step', 'algorithms'],
  ['report', 'a decision of all verdicts, events, counts', 'limiter'],
  ['carry out', 'fields, a refusal, a wait, the end', 'http'],
];

const BOX = { width: 104, height: 96, gap: 12, top: 78 };

/** Draws the way of a request from its arrival to its answer. */
export function drawWay(): string {
  return sheet({
    title: 'The way of a request: six steps, and one call of the store',
    description: STEPS.map(([name, says, where], i) => `${i + 1}. ${name}: ${says} (${where}).`).join(' '),
    height: 258,
    body: [
      ...STEPS.flatMap(([name, says, where], i) => {
        const x = 16 + i * (BOX.width + BOX.gap);
        return [
          box(x, BOX.top, BOX.width, BOX.height),
          text(x + 8, BOX.top + 20, `${i + 1} ${name}`, 'title'),
          ...wrapped(says, BOX.width - 10).map((line, at) => text(x + 8, BOX.top + 38 + at * 14, line)),
          text(x + 8, BOX.top + BOX.height + 16, where, 'soft'),
          ...(i > 0 ? [arrow(x - BOX.gap, BOX.top + 48, x, BOX.top + 48)] : []),
        ];
      }),
      text(16, 62, 'request', 'soft'),
      arrow(68, 62, 68, BOX.top),
      arrow(16 + 5.5 * (BOX.width + BOX.gap), BOX.top, 16 + 5.5 * (BOX.width + BOX.gap), 48),
      text(16 + 5.5 * (BOX.width + BOX.gap) - 8, 62, 'answer', 'soft', 'end'),
      text(16, 224, 'If the store does not answer in time, onStoreError decides in place of step 4.', 'soft'),
      text(
        16,
        242,
        'Afterwards: hold a slot or an estimate, renew it, correct it once, replay it, let it expire.',
        'soft',
      ),
    ],
  });
}

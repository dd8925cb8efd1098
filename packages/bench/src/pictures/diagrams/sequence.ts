import { arrow, box, sheet, text, WIDTH, wrapped } from './sheet.js';

/** A message from one participant to another; a dashed one is an answer. */
export interface Message {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly isAnswer?: boolean;
}

/** What happens in one of several cases. */
interface Case {
  readonly when: string;
  readonly messages: readonly Message[];
}

interface Sequence {
  readonly title: string;
  readonly participants: readonly string[];
  readonly messages: readonly Message[];
  /** One of them follows. */
  readonly cases: readonly Case[];
}

const LINE = 14;
const TOP = 46;
const HEAD = 30;
/** From the border to the first participant, and from the last one. */
const SIDE = 72;

/** Draws who sends what to whom, from top to bottom. */
export function drawSequence({ title, participants, messages, cases }: Sequence): string {
  const distance = (WIDTH - 2 * SIDE) / (participants.length - 1);
  const xOf = (name: string): number => SIDE + participants.indexOf(name) * distance;
  const body: string[] = [];
  let y = TOP + HEAD + 8;

  const send = ({ from, to, label, isAnswer }: Message): void => {
    const [start, end] = [xOf(from), xOf(to)];
    const lines = wrapped(label, Math.abs(end - start) - 20);
    y += 6;
    for (const line of lines) {
      y += LINE;
      body.push(text((start + end) / 2, y, line, 'over', 'middle'));
    }
    y += 7;
    body.push(arrow(start, y, end, y, isAnswer ? 'dash' : 'line'));
  };

  for (const message of messages) send(message);
  const firstCase = y + 14;
  y = firstCase;
  const borders: string[] = [];
  for (const [i, { when, messages: sent }] of cases.entries()) {
    if (i > 0) borders.push(`<path class="dash" d="M12 ${y}H${WIDTH - 12}"/>`);
    body.push(text(22, y + 18, when, 'title over'));
    y += 20;
    for (const message of sent) send(message);
    y += 12;
  }
  const height = y + 14;
  return sheet({
    title,
    description: descriptionOf(messages, cases),
    height,
    body: [
      ...participants.map((name) => `<path class="line" d="M${xOf(name)} ${TOP + HEAD}V${y}"/>`),
      ...participants.map(
        (name) => `${box(xOf(name) - 56, TOP, 112, HEAD)}${text(xOf(name), TOP + 19, name, '', 'middle')}`,
      ),
      `<rect class="line" x="12" y="${firstCase}" width="${WIDTH - 24}" height="${y - firstCase}" rx="4"/>`,
      ...borders,
      ...body,
    ],
  });
}

function descriptionOf(messages: readonly Message[], cases: readonly Case[]): string {
  const say = (sent: readonly Message[]): string =>
    sent.map(({ from, to, label }) => `${from} to ${to}: ${label}.`).join(' ');
  return [say(messages), ...cases.map(({ when, messages: sent }) => `If ${when}: ${say(sent)}`)].join(' ');
}

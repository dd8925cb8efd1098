import type { CallBegan, CallEnded, Observation } from '../fleet/observation.js';
import type { Violation } from '../model/violation.js';
import type { Tape } from '../tape/tape.js';
import { callText, outcomeText } from './telling/call-story.js';
import { faultText } from './telling/fault-story.js';
import { modelEndText } from './telling/model-story.js';
import { setupStory } from './telling/setup-story.js';
import { momentText, timeText } from './telling/words.js';

/** A sentence about one observation. Equal ones that follow each other are told once. */
interface Line {
  readonly atMs: number;
  readonly who: string;
  readonly what: string;
  /** What was answered, by the times of it. */
  readonly answers: Map<string, number>;
  count: number;
  /** Whether a call of it is one that the violation names. */
  isCulprit: boolean;
}

/**
 * Tells a run in plain words: what there is, what happens, and what is wrong at the end. For readers who have never seen a tape.
 *
 * @param observations - all that a run of this tape has shown, up to the violation
 */
export function storyOf(tape: Tape, observations: readonly Observation[], violation: Violation | undefined): string {
  const answers = new Map<number, CallEnded>();
  for (const observation of observations) if (observation.kind === 'answer') answers.set(observation.call, observation);
  const lines: Line[] = [];
  for (const observation of observations) {
    const line = lineOf(observation, answers, violation, tape);
    if (line) addLine(lines, line);
  }
  return [setupStory(tape.setup), '', ...textsOf(lines), '', ...endOf(violation)].join('\n');
}

/** Nobody reads a longer story, and it is printed where others are. */
const MOST_LINES = 1000;

/** Leaves out the middle of a long story, but for what the violation names. */
function textsOf(lines: readonly Line[]): readonly string[] {
  const half = MOST_LINES / 2;
  const isTold = ({ isCulprit }: Line, i: number): boolean => isCulprit || i < half || i >= lines.length - half;
  const told = lines.filter(isTold).map(textOf);
  if (told.length === lines.length) return told;
  return [...told.slice(0, half), `- (${lines.length - told.length} lines are left out)`, ...told.slice(half)];
}

function lineOf(
  observation: Observation,
  answers: ReadonlyMap<number, CallEnded>,
  violation: Violation | undefined,
  tape: Tape,
): Line | undefined {
  const { atMs } = observation;
  switch (observation.kind) {
    case 'call': {
      const isCulprit = violation?.calls.includes(observation.call) ?? false;
      const answer = answers.get(observation.call);
      // Those who look while the story ends have nothing to say.
      if (!answer && !isCulprit && observation.step.call === 'peek') return undefined;
      return callLine(observation, answer, isCulprit, tape);
    }
    case 'fault':
      return plainLine(atMs, faultText(observation.fault));
    case 'work':
      return plainLine(atMs, `the work of call ${observation.call} begins`);
    case 'model-call-ends':
      return plainLine(atMs, modelEndText(observation));
    case 'rest':
      return plainLine(atMs, 'everything is at rest');
    default:
      return undefined;
  }
}

function plainLine(atMs: number, what: string): Line {
  return { atMs, who: '', what, answers: new Map(), count: 1, isCulprit: false };
}

function callLine(call: CallBegan, answer: CallEnded | undefined, isCulprit: boolean, tape: Tape): Line {
  const text = answer ? outcomeText(call.step, answer.outcome) : 'no answer yet';
  const lateMs = answer ? answer.atMs - call.atMs : 0;
  const late = lateMs >= NOTABLY_LATE_MS ? `, ${timeText(Math.round(lateMs))} later` : '';
  const answers = new Map(text === undefined ? [] : [[`${text}${late}`, 1]]);
  return {
    atMs: call.atMs,
    who: `process ${call.process}`,
    what: `${callText(call)}${policyText(call, tape)}${originText(call, tape)}`,
    answers,
    count: 1,
    isCulprit,
  };
}

/** Says by which policy a call is limited, if there are several. */
function policyText({ step }: CallBegan, { setup: { policies } }: Tape): string {
  return policies.length > 1 && 'policy' in step ? ` by the policy ${policies[step.policy]?.name}` : '';
}

/** The fleet itself looks at how it is, and releases what is held, before it rests. */
function originText({ step }: CallBegan, { steps }: Tape): string {
  return steps.includes(step) ? '' : ' (no step of the tape)';
}

/** Faster answers came at once, for whoever reads a story. */
const NOTABLY_LATE_MS = 20;

function addLine(lines: Line[], line: Line): void {
  const last = lines.at(-1);
  const isSame = last?.atMs === line.atMs && last.who === line.who && last.what === line.what && line.who !== '';
  if (!last || !isSame) {
    lines.push(line);
    return;
  }
  last.count += 1;
  last.isCulprit ||= line.isCulprit;
  for (const [answer, count] of line.answers) last.answers.set(answer, (last.answers.get(answer) ?? 0) + count);
}

function textOf({ atMs, who, what, answers, count, isCulprit }: Line): string {
  const times = count === 1 ? '' : ` ${count} times`;
  const subject = who === '' ? what : `${who} ${what}${times}`;
  return `${isCulprit ? '> ' : '- '}${momentText(atMs)} ${subject}${answersText(answers, count)}.`;
}

function answersText(answers: ReadonlyMap<string, number>, count: number): string {
  if (answers.size === 0) return '';
  const texts = [...answers].map(([text, times]) =>
    count === 1 ? text : times === count ? `each ${text}` : `${times} ${text}`,
  );
  return `: ${texts.join(', ')}`;
}

function endOf(violation: Violation | undefined): readonly string[] {
  if (!violation) return ['Nothing is wrong.'];
  return [`${momentText(violation.atMs)} this is wrong (${violation.invariant}): ${violation.says}`];
}

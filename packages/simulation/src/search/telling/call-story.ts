import type { CallBegan, DecisionSeen, Outcome } from '../../fleet/observation.js';
import type { CallStep } from '../../tape/tape.js';
import { modelCallText } from './model-story.js';
import { timeText, unitsText } from './words.js';

/** Says what a call asks for, without who asks: `asks for 3 units of s0`. */
export function callText({ step, subject }: Pick<CallBegan, 'step' | 'subject'>): string {
  switch (step.call) {
    case 'consume':
      return `asks for ${unitsText(step.cost)} of ${subject}${idText(step)}`;
    case 'obey':
      return `asks for ${unitsText(step.cost)} of ${subject}, as the last answer allows`;
    case 'peek':
      return `looks at what ${subject} has left`;
    case 'reserve':
      return `reserves ${unitsText(step.cost)} of ${subject}${idText(step)} as reservation ${step.as}${expiryText(step)}`;
    case 'wait':
      return `waits at most ${timeText(step.maxWaitMs)} for ${unitsText(step.cost)} of ${subject}, as reservation ${step.as}`;
    case 'run':
      return `runs work of ${timeText(step.worksForMs)} for ${subject} in its line (${unitsText(step.cost)})`;
    case 'settle':
      return `settles reservation ${step.of} with ${unitsText(step.actual)}`;
    case 'cancel':
      return `cancels reservation ${step.of}`;
    case 'release':
      return `releases the slots of reservation ${step.of}`;
    case 'share':
      return `hands over reservation ${step.of} as charge ${step.as}, which can be corrected for ${timeText(step.expiresMs)}`;
    case 'correct':
      return `corrects charge ${step.charge}: ${step.actual === undefined ? 'all is given back' : `it was ${unitsText(step.actual)}`}`;
    case 'charge':
      return `charges ${unitsText(step.cost)} to ${subject}`;
    case 'refund':
      return `gives ${unitsText(step.cost)} back to ${subject}`;
    case 'reset':
      return `forgets all about ${subject}`;
    case 'unblock':
      return `unblocks ${subject}`;
    case 'block':
      return `blocks ${subject} for ${timeText(step.forMs)}`;
    case 'model-call':
      return modelCallText(step, subject);
    case 'model-look':
      return `looks at what the calls of models of ${subject} have left`;
    case 'replace':
      return `puts variant ${step.variant} of the policy into force`;
    case 'close':
      return 'closes its stores and ends';
  }
}

function idText({ id, rememberMs }: { readonly id?: string; readonly rememberMs?: number }): string {
  if (id === undefined) return '';
  return ` with the id "${id}"${rememberMs === undefined ? '' : ` (remembered for ${timeText(rememberMs)})`}`;
}

function expiryText({ expiresMs, onExpiry }: Extract<CallStep, { readonly call: 'reserve' }>): string {
  if (expiresMs === undefined) return '';
  return `, which ends after ${timeText(expiresMs)}${onExpiry === 'giveBack' ? ' and then gives its units back' : ''}`;
}

/** Says how a call was answered; undefined if there is nothing to say. */
export function outcomeText(step: CallStep, outcome: Outcome): string | undefined {
  if ('error' in outcome) return `fails with ${outcome.error.code ?? outcome.error.name}`;
  if ('result' in outcome) return outcome.result;
  if ('found' in outcome) return outcome.found ? 'something was there' : 'nothing was there';
  if ('done' in outcome) return step.call === 'run' ? 'done' : undefined;
  return decisionText(step, outcome.decision);
}

function decisionText(step: CallStep, decision: DecisionSeen): string {
  const { allowed, source, delayMs, verdicts } = decision;
  if (step.call === 'peek' || step.call === 'model-look' || step.call === 'charge' || step.call === 'refund') {
    const left = verdicts.map(({ name, remaining }) =>
      verdicts.length === 1 ? `${remaining}` : `${remaining} of "${name}"`,
    );
    return `${left.length === 0 ? (allowed ? 'allowed' : 'refused') : `${left.join(', ')} left`}${sourceText(source)}`;
  }
  const later = allowed && delayMs > 0 ? ` after ${timeText(delayMs)}` : '';
  return `${allowed ? `allowed${later}` : `refused${retryText(decision)}`}${sourceText(source)}`;
}

function retryText({ retryAfterMs }: DecisionSeen): string {
  return retryAfterMs === 'never' ? ' for ever' : ` for ${timeText(retryAfterMs)}`;
}

function sourceText(source: DecisionSeen['source']): string {
  return source === 'store' ? '' : ` (by onStoreError: '${source}')`;
}

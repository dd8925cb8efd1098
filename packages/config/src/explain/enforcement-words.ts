import { nextStepMs, shareAt } from '../compile/rollout.js';
import type { PolicyFile, PolicyRule } from '../file/policy-file.js';
import { dateWords, durationWords, shareWords } from '../words/words.js';
import type { ExplainedSentence } from './explanation.js';

/** Says how far a policy is enforced now, and what comes next. Nothing if it is enforced for all keys for ever. */
export function enforcementSentences(
  { enforcement }: PolicyFile,
  policy: PolicyRule,
  nowMs: number,
): ExplainedSentence[] {
  const path = ['policies', policy.name];
  if (enforcement === 'off') {
    return [{ text: 'Enforcement is off: nothing is counted, and nothing is refused.', path: ['enforcement'] }];
  }
  if (enforcement === 'shadow') {
    const text = 'Enforcement is shadow: requests are counted, and none is refused. With on, it is as follows.';
    return [{ text, path: ['enforcement'] }];
  }
  if (policy.rollout.length > 0) return rolloutSentences(policy, nowMs);
  if (policy.enforce === undefined) return [];
  return [{ text: shareSentence(policy.enforce), path: [...path, 'enforce'] }];
}

function rolloutSentences({ name, rollout, brake }: PolicyRule, nowMs: number): ExplainedSentence[] {
  const path = ['policies', name, 'rollout'];
  const now = rollout.findLastIndex(({ fromMs }) => fromMs <= nowMs);
  const nextMs = nextStepMs(rollout, nowMs);
  const next =
    nextMs === Number.POSITIVE_INFINITY
      ? ''
      : ` From ${dateWords(nextMs)} on: ${shareWords(shareAt(rollout, nextMs))}.`;
  const sentences = [
    { text: `${shareSentence(shareAt(rollout, nowMs))}${next}`, path: now < 0 ? path : [...path, now] },
  ];
  if (!brake) return sentences;
  const text = `If at least ${shareWords(brake.refused)} of keys are refused over ${durationWords(brake.overMs)}, it only counts from then on.`;
  return [...sentences, { text, path: ['policies', name, 'brake'] }];
}

function shareSentence(share: number | 'mark'): string {
  if (share === 'mark') return 'Requests beyond a limit are marked, and not refused.';
  if (share === 0) return 'It only counts: no request is refused.';
  if (share === 1) return 'It is enforced for all keys.';
  return `It is enforced for ${shareWords(share)} of keys; the others are only counted.`;
}

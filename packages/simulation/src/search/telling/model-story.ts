import type { ModelCallEnds } from '../../fleet/observation.js';
import type { ModelCall, PlanNumbers, PlanSetup } from '../../tape/tape.js';
import { listText, timeText } from './words.js';

/** Says what a call of a model is: `sends a prompt of 20 tokens to the model for s0 ...`. */
export function modelCallText(step: ModelCall, subject: string): string {
  const { inputTokens, maxOutput, outputTokens, isWhole, takesMs, ends, endsAgain, unseenTokens, fetchedAfterMs } =
    step;
  const cap = maxOutput === undefined ? '' : ` with a cap of ${maxOutput}`;
  const unseen = unseenTokens === undefined ? '' : ` (and ${unseenTokens} that are stored there)`;
  const fetched = fetchedAfterMs === undefined ? '' : `, is fetched ${timeText(fetchedAfterMs)} later`;
  const again = endsAgain ? `, and says '${endsAgain}' once more` : '';
  return `sends ${inputTokens} tokens${unseen} to the model for ${subject}${cap}, which answers with ${outputTokens}${isWhole ? ' in one piece' : ''} in ${timeText(takesMs)}${fetched} (${END_TEXTS[ends]}${again})`;
}

const END_TEXTS: Readonly<Record<ModelCall['ends'], string>> = {
  complete: 'to its end',
  broken: 'the answer breaks off',
  refused: 'the provider refuses it',
  unsent: 'the provider is not reached',
  'no-usage': 'no usage is stated',
  'wrong-usage': 'the stated usage makes no sense',
  'client-leaves': 'the client leaves at the end',
  never: 'the application forgets it',
};

export function modelEndText({ how, call, stated }: ModelCallEnds): string {
  const usage = stated ? `, ${stated.input} tokens in and ${stated.output} out` : '';
  return `the model call ${call} is ended as '${how}'${usage}`;
}

export function planSentence({
  name,
  limits,
  together,
  hold,
  unknownUsage,
  maxHoldMs,
  onStoreError,
  unseen,
  isWatched,
}: PlanSetup): string {
  const all = together ? `, all together ${numbersText(together)}` : '';
  const unknown = unknownUsage ? `, an unknown usage is charged as '${unknownUsage}'` : '';
  const named = unseen === undefined ? '' : `, what bodies only name has ${unseen} tokens at most`;
  const watched = isWatched ? ', and its thresholds are reported' : '';
  const failing = onStoreError === 'local' ? '' : `, while the store fails it answers with '${onStoreError}'`;
  return `The plan ${name} of model calls has for each subject ${numbersText(limits)}${all} (hold '${hold}', for ${timeText(maxHoldMs)} at most${unknown}${named}${failing}${watched}).`;
}

function numbersText(numbers: PlanNumbers): string {
  return listText(Object.entries(numbers).map(([name, units]) => `${name} ${units}`));
}

import { type BodyChange, changedText } from '../call/body-change.js';
import { capChanges } from '../call/caps.js';
import { memberAt } from '../dialects/member-path.js';
import { dialectAt, type ProviderName, type ProviderProfile } from '../dialects/providers.js';
import type { JsonObject } from '../json-object.js';
import type { DecidedCall } from '../request/decided-call.js';

/** What is sent to the provider for a call. */
interface OutgoingBody {
  readonly text: string;
  /** Whether the relay asks for a usage that the client did not ask for, and so has to take out of the answer. */
  readonly asksForUsage: boolean;
}

/** Returns the caller's body with the model that was reserved, the cap that was held, and the wish for a usage. */
export function outgoingBody(
  { body, text, call, sentCap }: Pick<DecidedCall, 'body' | 'text' | 'call' | 'sentCap'>,
  provider: ProviderName | ProviderProfile = 'openai',
): OutgoingBody {
  const asked = body as JsonObject;
  const dialect = dialectAt(call.format, provider);
  const { usageSwitch } = dialect;
  const asksForUsage = call.stream && usageSwitch !== undefined && memberAt(asked, usageSwitch) !== true;
  const changes: BodyChange[] = [...capChanges(asked, dialect, sentCap)];
  // A body without a model has an address that names it.
  if (!dialect.isModelInAddress && Object.hasOwn(asked, 'model')) changes.push({ path: ['model'], value: call.model });
  if (asksForUsage) changes.push({ path: usageSwitch, value: true });
  return { text: changedText(asked, text, changes), asksForUsage };
}

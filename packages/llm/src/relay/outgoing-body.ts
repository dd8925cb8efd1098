import { type BodyChange, changedText } from '../call/body-change.js';
import { capChanges } from '../call/caps.js';
import { memberAt } from '../dialects/member-path.js';
import { dialectAt, type ProviderName, type ProviderProfile } from '../dialects/providers.js';
import type { JsonObject } from '../json-object.js';
import type { DecidedCall } from '../request/decided-call.js';
import { changedBytes } from '../request/given-body.js';

/** JSON, or the bytes of a form. */
export type OutgoingContent = string | Uint8Array<ArrayBuffer>;

/** What is sent to the provider for a call. */
interface OutgoingBody {
  readonly content: OutgoingContent;
  /** Whether the relay asks for a usage that the client did not ask for, and so has to take out of the answer. */
  readonly asksForUsage: boolean;
}

/** Returns the caller's body, JSON or a form, with the model that was reserved, the cap that was held, and the wish for a usage. */
export function outgoingBody(
  { body, text, bytes, call, sentCap }: Pick<DecidedCall, 'body' | 'text' | 'bytes' | 'call' | 'sentCap'>,
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
  const content = bytes ? changedBytes(bytes, changes.filter(isChange(asked))) : changedText(asked, text, changes);
  return { content, asksForUsage };
}

function isChange(asked: JsonObject): (change: BodyChange) => boolean {
  return ({ path, value }) => memberAt(asked, path) !== value;
}

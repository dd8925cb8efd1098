import { withCap } from '../call/caps.js';
import { dialectOf } from '../dialects/dialects.js';
import { memberAt, withMember } from '../dialects/member-path.js';
import type { JsonObject } from '../json-object.js';
import type { DecidedCall } from '../request/decided-call.js';

/** What is sent to the provider for a call. */
interface OutgoingBody {
  readonly text: string;
  /** Whether the relay asks for a usage that the client did not ask for, and so has to take out of the answer. */
  readonly asksForUsage: boolean;
}

/** Returns the caller's body with the model that was reserved, the cap that was held, and the wish for a usage. */
export function outgoingBody({ body, call, sentCap }: Pick<DecidedCall, 'body' | 'call' | 'sentCap'>): OutgoingBody {
  const asked = body as JsonObject;
  const dialect = dialectOf(call.format);
  const { usageSwitch } = dialect;
  const asksForUsage = call.stream && usageSwitch !== undefined && memberAt(asked, usageSwitch) !== true;
  const capped = { ...withCap(asked, dialect, sentCap), model: call.model };
  const sent = asksForUsage ? withMember(capped, usageSwitch, true) : capped;
  return { text: JSON.stringify(sent), asksForUsage };
}

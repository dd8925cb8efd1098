// What providers say of the account that a key belongs to:
// https://platform.openai.com/docs/guides/error-codes, https://docs.anthropic.com/en/api/errors,
// https://ai.google.dev/gemini-api/docs/troubleshooting, https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html

import type { Vendor } from '../dialects/vendor.js';
import { readFrame, writeFrame } from '../meter/frame.js';
import type { EventEdit } from './event-filter.js';
import type { PieceEdit } from './piece-filter.js';

/**
 * Whom an error of a provider concerns.
 *
 * - `'client'`: the one who made the call, who may read it
 * - `'account'`: the gateway, whose key, money or rights are wrong
 * - `'limits'`: the gateway, whose account has reached a limit that is soon fresh again
 */
type Concern = 'client' | 'account' | 'limits';

/** Statuses by which a provider refuses the key, or what it may do. */
const REFUSED_KEY: ReadonlySet<number> = new Set([401, 402, 403, 407]);

/** Statuses that ask to come again. */
const BUSY: ReadonlySet<number> = new Set([429, 503, 529]);

/** OpenRouter refuses with 403 what a moderation has flagged, which is the client's own text. */
const MODERATION = /"(?:flagged_input|moderation\w*)"/;

/** Codes and types that say that the account has no money left, or is closed. */
const NO_MONEY =
  /insufficient_(?:quota|funds|balance|credits)|billing_(?:error|hard_limit_reached|not_active)|access_terminated|account_deactivated|credit balance/i;

/** Names of accounts, and of things in them. */
const IDS = /\b(?:org-\w{4,}|proj_\w{4,}|sk-[\w-]{8,}|arn:aws[\w-]*:|projects\/[\w-]+)/;

/** What providers say of the account. */
const ACCOUNT =
  /\bbilling\b|insufficient (?:quota|funds|balance|credits)|\byour (?:current )?(?:organi[sz]ation|account|project|plan|quota|api key)|\borgani[sz]ation must\b|\bapi[ _]key\b/i;

/** The numbers of limits, which are those of the account. */
const LIMITS = /\b(?:rate )?limit(?: of|:)? \d|\bquota\b|\btier\b|\borgani[sz]ation\b|\bproject\b/i;

/** An event that states an error. */
const ERROR = /"errors?"\s*:\s*\{|"type"\s*:\s*"error"/;

/** What an error says in an event of a stream. */
const MESSAGE = /("message"\s*:\s*)"(?:[^"\\]|\\.)*"/g;
const NO_MONEY_CODE = /"insufficient_\w+"|"billing_\w+"/g;

const NEUTRAL = 'The model cannot go on. Try again later.';

/** Who hears of errors that are kept from a client, and whose words the client reads. */
export interface Withholding {
  readonly vendor: Vendor;
  /** Is called with what the provider has sent. */
  onWithheld(text: string): void;
}

/** The edit that takes the account of the gateway out of errors within a stream of events. */
export function withoutAccount({ vendor, onWithheld }: Withholding): EventEdit {
  return {
    pattern: /"error/,
    change: (event) => textWithoutAccount(event, onWithheld),
    changeLong(begun) {
      if (!ERROR.test(begun)) return undefined;
      onWithheld(begun);
      return `${begun.startsWith('event:') ? 'event: error\n' : ''}data: ${neutralError(vendor)}\n\n`;
    },
  };
}

/** The same for pieces of JSON, such as the elements of an array or lines. */
export function piecesWithoutAccount({ vendor, onWithheld }: Withholding): PieceEdit {
  return {
    change(piece, isWhole) {
      if (!piece.includes('"error')) return undefined;
      const text = piece.toString('utf8');
      const changed = isWhole ? textWithoutAccount(text, onWithheld) : undefined;
      if (changed !== undefined) return Buffer.from(changed);
      if (isWhole || !ERROR.test(text)) return undefined;
      onWithheld(text.slice(0, MOST_TOLD));
      // What stands before the object belongs to what is around it.
      return Buffer.from(text.slice(0, text.indexOf('{')) + neutralError(vendor));
    },
  };
}

/** The same for messages of Amazon's event streams. An error is a message of its own. */
export function framesWithoutAccount({ onWithheld }: Withholding): PieceEdit {
  return {
    change(piece, isWhole) {
      if (!isWhole || !(piece.includes(':exception-type') || piece.includes(':error-code'))) return undefined;
      const { headers, payload } = readFrame(piece) ?? { headers: {}, payload: piece };
      const { ':exception-type': exception, ':error-code': code, ':error-message': message = '' } = headers;
      if (exception === undefined && code === undefined) return undefined;
      const text = `${message}${payload.toString('utf8')}`;
      if (!speaksOfAccount(text)) return undefined;
      onWithheld(text);
      return exception === undefined
        ? writeFrame({ ...headers, ':error-message': NEUTRAL }, '')
        : writeFrame(headers, JSON.stringify({ message: NEUTRAL }));
    },
  };
}

/** The most characters of an error that listeners are told. */
const MOST_TOLD = 65_536;

/** Returns a text of JSON without what its errors say of the account; undefined if they say nothing of it. */
export function textWithoutAccount(text: string, onWithheld: Withholding['onWithheld']): string | undefined {
  if (!ERROR.test(text) || !speaksOfAccount(text) || !statesError(text)) return undefined;
  onWithheld(text.slice(0, MOST_TOLD));
  return text.replace(MESSAGE, `$1${JSON.stringify(NEUTRAL)}`).replace(NO_MONEY_CODE, '"server_error"');
}

/**
 * Members that hold what a model says to a tool, and what the caller has sent: values of any form. What looks like an error there is none of
 * the provider's.
 */
const WORDS_OF_OTHERS: ReadonlySet<string> = new Set([
  ...['args', 'arguments', 'input'],
  ...['tools', 'metadata', 'parameters', 'schema', 'format'],
]);

/** A piece of an object begins with the name of a member. */
const MEMBER = /^[\s,]*("\w+"\s*:\s*)[[{]/;

/** Whether an event, or a text of JSON, states an error. What nobody can read is taken for one. */
function statesError(text: string): boolean {
  const value = text.slice(text.search(/[[{]/), Math.max(text.lastIndexOf('}'), text.lastIndexOf(']')) + 1);
  const [, name] = MEMBER.exec(text) ?? [];
  try {
    return hasError(JSON.parse(name === undefined ? value : `{${name}${value}}`));
  } catch {
    return true;
  }
}

function hasError(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasError);
  return Object.entries(value).some(([name, member]) => {
    if (name === 'type' && member === 'error') return true;
    if (WORDS_OF_OTHERS.has(name)) return false;
    return (/^errors?$/.test(name) && typeof member === 'object' && member !== null) || hasError(member);
  });
}

function speaksOfAccount(text: string): boolean {
  return [NO_MONEY, IDS, ACCOUNT, LIMITS].some((pattern) => pattern.test(text));
}

function neutralError(vendor: Vendor): string {
  return JSON.stringify(vendor.errorBody({ kind: 'unreachable', status: 502, message: NEUTRAL }));
}

/** Returns whom an error concerns, by its status and its body. */
export function concernOf(status: number, body: string): Concern {
  if (REFUSED_KEY.has(status)) return status === 403 && MODERATION.test(body) ? 'client' : 'account';
  if (NO_MONEY.test(body)) return 'account';
  const isAboutAccount = IDS.test(body) || ACCOUNT.test(body);
  if (BUSY.has(status)) return isAboutAccount || LIMITS.test(body) ? 'limits' : 'client';
  return isAboutAccount ? 'account' : 'client';
}

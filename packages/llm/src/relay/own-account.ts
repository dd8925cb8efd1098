// What providers say of the account that a key belongs to:
// https://platform.openai.com/docs/guides/error-codes, https://docs.anthropic.com/en/api/errors,
// https://ai.google.dev/gemini-api/docs/troubleshooting, https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html

import type { EventEdit } from './event-filter.js';

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
const ERROR = /"error"\s*:\s*\{|"type"\s*:\s*"error"/;

/** What an error says in an event of a stream. */
const MESSAGE = /("message"\s*:\s*)"(?:[^"\\]|\\.)*"/g;
const NO_MONEY_CODE = /"insufficient_\w+"|"billing_\w+"/g;

/**
 * The edit that takes the account of the gateway out of errors within a stream.
 *
 * @param onWithheld - is called with the event as the provider sent it
 */
export function withoutAccount(onWithheld: (event: string) => void): EventEdit {
  return {
    pattern: /"error"/,
    change(event) {
      if (!ERROR.test(event) || ![NO_MONEY, IDS, ACCOUNT, LIMITS].some((pattern) => pattern.test(event)))
        return undefined;
      onWithheld(event);
      return event
        .replace(MESSAGE, '$1"The model cannot go on. Try again later."')
        .replace(NO_MONEY_CODE, '"server_error"');
    },
  };
}

/** Returns whom an error concerns, by its status and its body. */
export function concernOf(status: number, body: string): Concern {
  if (REFUSED_KEY.has(status)) return status === 403 && MODERATION.test(body) ? 'client' : 'account';
  if (NO_MONEY.test(body)) return 'account';
  const isAboutAccount = IDS.test(body) || ACCOUNT.test(body);
  if (BUSY.has(status)) return isAboutAccount || LIMITS.test(body) ? 'limits' : 'client';
  return isAboutAccount ? 'account' : 'client';
}

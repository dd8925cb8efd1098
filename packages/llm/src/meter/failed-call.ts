import { isObject, type JsonObject } from '../json-object.js';
import type { CallEnd } from './call-outcome.js';
import { isErrorStatus } from './provider-error.js';

/**
 * Says how a call ended that failed with an error: whether the provider has answered with an error (`'refused'`), whether it
 * cannot have got the request (`'unsent'`), or neither is known (`'broken'`). Libraries wrap errors, so everything that an error
 * names as its cause is looked at. An error that says nothing counts as sent: the provider may have worked.
 */
export function endOfFailure(error: unknown): Extract<CallEnd, 'refused' | 'unsent' | 'broken'> {
  return endOf(error, MOST_CAUSES);
}

/** Errors are wrapped a few times. More than this many levels are a circle. */
const MOST_CAUSES = 8;

function endOf(error: unknown, levels: number): ReturnType<typeof endOfFailure> {
  if (!isObject(error) || levels === 0) return 'broken';
  if (isAnswer(error)) return 'refused';
  if (isBeforeSending(error)) return 'unsent';
  const { errors, cause } = error;
  // Several attempts: of addresses by Node, of calls by the `ai` package. One that was sent is enough.
  if (Array.isArray(errors) && errors.length > 0) {
    const ends = errors.map((one) => endOf(one, levels - 1));
    return (['broken', 'refused'] as const).find((end) => ends.includes(end)) ?? 'unsent';
  }
  return endOf(cause, levels - 1);
}

/** Whether a library made this error of an answer. The error, or its `response`, then has the status and the fields that came. */
function isAnswer(error: JsonObject): boolean {
  const { status, statusCode, headers, responseHeaders } = isObject(error.response) ? error.response : error;
  const stated = status ?? statusCode;
  return typeof stated === 'number' && isErrorStatus(stated) && isObject(headers ?? responseHeaders);
}

function isBeforeSending({ code, name, message, syscall, errors }: JsonObject): boolean {
  // An error of several attempts has the code of the first one.
  if (Array.isArray(errors)) return false;
  if (UNSENT_CALLS.has(syscall) || UNSENT_CODES.has(code) || UNSENT_NAMES.has(name)) return true;
  return UNSENT_MESSAGES.has(message) || OF_HANDSHAKES.test(reasonOfTls(code, message));
}

/** Returns what OpenSSL says: where `fetch` names it as a code, `node:https` has it in the message alone. */
function reasonOfTls(code: unknown, message: unknown): string {
  const [, reason] = (code === 'EPROTO' && /:SSL routines:[^:]*:([^:]+):/.exec(String(message))) || [];
  return reason === undefined ? String(code) : `ERR_SSL_${reason.replaceAll(' ', '_').toUpperCase()}`;
}

/** Calls of the system that come before a connection: whatever their error is, nothing was sent. */
const UNSENT_CALLS: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo', 'queryA', 'queryAaaa']);

const UNSENT_CODES: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_INVALID_URL',
  // A `fetch` of ours that was not sent: there was no turn for it, its server is away, or it is no call that can be sent.
  'SLUICE_REFUSED',
  'SLUICE_UNAVAILABLE',
  'SLUICE_LLM_CALL',
  // Certificates, as OpenSSL names what is wrong with them.
  'CERT_CHAIN_TOO_LONG',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'CRL_HAS_EXPIRED',
  'CRL_NOT_YET_VALID',
  'CRL_SIGNATURE_FAILURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_CRL',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_TLS_CERT_ALTNAME_FORMAT',
  'ERR_TLS_HANDSHAKE_TIMEOUT',
]);

/** Errors of the `ai` package that come before anything is sent: a missing key, or a call that the provider cannot have. */
const UNSENT_NAMES: ReadonlySet<unknown> = new Set([
  'AI_InvalidArgumentError',
  'AI_InvalidPromptError',
  'AI_LoadAPIKeyError',
  'AI_LoadSettingError',
  'AI_NoSuchModelError',
  'AI_UnsupportedFunctionalityError',
]);

/**
 * Errors of OpenSSL that end a handshake. Others, such as a wrong checksum, also come later. Some handshakes of TLS 1.3 fail when the
 * client has sent its first bytes; a server reads none of them.
 */
const OF_HANDSHAKES =
  /^ERR_SSL_(?:WRONG_VERSION_NUMBER|WRONG_SSL_VERSION|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|HTTPS_PROXY_REQUEST|NO_PROTOCOLS_AVAILABLE|UNSUPPORTED_PROTOCOL|UNKNOWN_PROTOCOL|VERSION_TOO_LOW|NO_SHARED_CIPHER|CERTIFICATE_VERIFY_FAILED|\w*ALERT_(?:HANDSHAKE_FAILURE|PROTOCOL_VERSION|INSUFFICIENT_SECURITY|NO_APPLICATION_PROTOCOL|UNRECOGNIZED_NAME|UNKNOWN_CA|ACCESS_DENIED|CERTIFICATE_\w+|BAD_CERTIFICATE\w*|UNSUPPORTED_CERTIFICATE|NO_CERTIFICATE))$/;

/** What Node says where the code is that of any reset, and where there is none. */
const UNSENT_MESSAGES: ReadonlySet<unknown> = new Set([
  'Client network socket disconnected before secure TLS connection was established',
  // `fetch` opens no connection to these.
  'bad port',
  'unknown scheme',
]);

import { describe, expect, it } from '@jest/globals';
import { SluiceError } from '@sluice/core';
import fc from 'fast-check';
import { LlmCallError } from '../../src/index.js';
import { endOfFailure } from '../../src/meter/failed-call.js';

const coded = (code: string, more: object = {}): Error => Object.assign(new Error(code), { code, ...more });
const caused = (cause: unknown): Error => new Error('fetch failed', { cause });

const REFUSED = coded('ECONNREFUSED', { syscall: 'connect' });
const RESET = coded('ECONNRESET', { syscall: 'read' });
const ANSWER = Object.assign(new Error('429'), { status: 429, headers: new Headers() });

describe('a call that failed', () => {
  it.each<[what: string, error: unknown, end: string]>([
    ['a refused connection', REFUSED, 'unsent'],
    ['a host that cannot be reached', coded('EHOSTUNREACH', { syscall: 'connect' }), 'unsent'],
    ['a connection that takes too long, by Node', coded('ETIMEDOUT', { syscall: 'connect' }), 'unsent'],
    ['a connection that takes too long, by undici', coded('UND_ERR_CONNECT_TIMEOUT'), 'unsent'],
    ['an answer that takes too long, by undici', coded('UND_ERR_HEADERS_TIMEOUT'), 'broken'],
    ['a read that takes too long', coded('ETIMEDOUT', { syscall: 'read' }), 'broken'],
    ['an unknown name', coded('ENOTFOUND', { syscall: 'getaddrinfo' }), 'unsent'],
    ['a name that could not be looked up', coded('EAI_AGAIN'), 'unsent'],
    ['an expired certificate', coded('CERT_HAS_EXPIRED'), 'unsent'],
    ['a certificate of somebody else', coded('ERR_TLS_CERT_ALTNAME_INVALID'), 'unsent'],
    ['a failed handshake', coded('ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE'), 'unsent'],
    ['a wrong checksum, which comes later', coded('ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC'), 'broken'],
    ['a call of ours whose turn would come too late', new SluiceError('SLUICE_REFUSED', 'late'), 'unsent'],
    ['a call of ours to a server that is away', new SluiceError('SLUICE_UNAVAILABLE', 'away'), 'unsent'],
    ['a call of ours that cannot be sent', new LlmCallError('max_tokens', 'must be stated', undefined), 'unsent'],
    ['a store of ours that fails', new SluiceError('SLUICE_STORE', 'failed'), 'broken'],
    ['a reset', RESET, 'broken'],
    ['a closed socket', coded('UND_ERR_SOCKET'), 'broken'],
    ['a broken pipe', coded('EPIPE', { syscall: 'write' }), 'broken'],
    ['an abort', new DOMException('Aborted', 'AbortError'), 'broken'],
    ['an error that says nothing', new Error('no'), 'broken'],
    ['no error', undefined, 'broken'],
    ['text', 'ECONNREFUSED', 'broken'],
    ['an answer of OpenAI or Anthropic', ANSWER, 'refused'],
    ['an answer of axios', Object.assign(new Error(), { response: { status: 500, headers: {} } }), 'refused'],
    ['a status of somebody who has no answer', Object.assign(new Error(), { status: 504 }), 'broken'],
    ['an answer that is no error', Object.assign(new Error(), { statusCode: 200, responseHeaders: {} }), 'broken'],
    [
      'attempts that were all refused',
      new AggregateError([REFUSED, coded('EHOSTUNREACH', { syscall: 'connect' })]),
      'unsent',
    ],
    [
      'attempts of which one was sent',
      Object.assign(new AggregateError([REFUSED, RESET]), { code: 'ECONNREFUSED' }),
      'broken',
    ],
    ['attempts of which one was answered', new AggregateError([REFUSED, ANSWER]), 'refused'],
  ])('with %s is charged by what is known of it', (_what, error, end) => {
    expect(endOfFailure(error)).toBe(end);
    expect(endOfFailure(caused(caused(error)))).toBe(end);
  });

  it('whose errors go in a circle counts as sent', () => {
    const error = caused(undefined);
    error.cause = new AggregateError([error]);
    expect(endOfFailure(error)).toBe('broken');
  });

  it('never counts as not sent because of what a provider or a caller can write', () => {
    const texts = fc.oneof(fc.string(), fc.constantFrom('connect ECONNREFUSED', 'fetch failed', 'ENOTFOUND'));
    const error = fc.record({ message: texts, status: fc.nat(700), error: fc.dictionary(texts, texts) });
    fc.assert(fc.property(error, (fields) => endOfFailure(Object.assign(new Error(), fields)) !== 'unsent'));
  });
});

import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { bearerOf } from '../../src/request/bearer.js';
import { type HeldPermit, heldPermitOf, holdPermit } from '../../src/request/held-permits.js';
import { passedPoliciesOf, requestPoliciesOf } from '../../src/request/policies-of-request.js';

const nodes = (): IncomingMessage => new IncomingMessage(new Socket());

/** As Node's, with a list that cannot be changed. */
const frozen = () => ({ rawHeaders: Object.freeze(['Host', 'a.example']) });

const permit = (): HeldPermit => ({ permit: { pause() {}, resume() {} }, isStream: false, outer: undefined });

describe('What belongs to a request is carried by', () => {
  it('the list of raw header fields, if it is one of Node', () => {
    const request = nodes();
    expect(bearerOf(request)).toBe(request.rawHeaders);
  });

  it('the list of the request of Node that a framework has put something around', () => {
    const raw = nodes();
    expect(bearerOf({ raw })).toBe(raw.rawHeaders);
  });

  it('the request of Node, if somebody has frozen the list', () => {
    const raw = frozen();
    expect(bearerOf(raw)).toBe(raw);
    expect(bearerOf({ raw })).toBe(raw);
  });

  it.each([{}, { rawHeaders: null }, { raw: null }, { raw: undefined }])(
    'the request itself, if it has only %j',
    (request) => {
      expect(bearerOf(request)).toBe(request);
    },
  );
});

describe('A copy of a request', () => {
  it('is the same request in flight: it has the permit of the other one, with and without a framework around it', () => {
    const [raw, held] = [nodes(), permit()];
    holdPermit({ raw }, held);
    expect([raw, { ...raw }, { raw }].map(heldPermitOf)).toEqual([held, held, held]);
  });

  it('has policies of its own, and so has what a framework puts around it', () => {
    const raw = nodes();
    const policies = requestPoliciesOf(raw);
    const others = [{ ...raw }, { raw }];
    expect(others.map(passedPoliciesOf)).toEqual([undefined, undefined]);
    const all = [policies, ...others.map(requestPoliciesOf)];
    expect(new Set(all).size).toBe(3);
    expect([raw, ...others].map(passedPoliciesOf)).toEqual(all);
  });
});

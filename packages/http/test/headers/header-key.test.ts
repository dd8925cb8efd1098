import { describe, expect, it } from '@jest/globals';
import { byHeader, headerKey } from '@sluice/core/http';

describe('headerKey', () => {
  it('is the key that byHeader makes, whatever the case of the name', () => {
    const request = { method: 'GET', url: '/', headers: { 'x-api-key': 'secret' } };
    expect(headerKey('X-API-Key', 'secret')).toEqual(byHeader('x-api-key')(request));
  });

  it('does not hold the value itself', () => {
    expect(JSON.stringify(headerKey('x-api-key', 'secret'))).not.toContain('secret');
  });
});

import { describe, expect, it } from '@jest/globals';
import { TokenSecrets } from '../../src/tokens/token-secrets.js';

const OLD = 'an old secret of tests';
const NEW = 'a new secret of tests';

describe('the secrets of tokens', () => {
  it('open what they have sealed, and what the first of others has sealed', () => {
    const old = new TokenSecrets([OLD]);
    const sealed = old.seal('203.0.113.7 ü');
    expect(sealed).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(sealed).not.toBe(old.seal('203.0.113.7 ü'));
    const both = new TokenSecrets([NEW, OLD]);
    expect(both.open(old.name, sealed)).toBe('203.0.113.7 ü');
    expect(both.name).not.toBe(old.name);
    expect(both.has(old.name)).toBe(true);
    expect(old.has(both.name)).toBe(false);
  });

  it('verify a signature of the first one, and no other text of the same bits', () => {
    const secrets = new TokenSecrets([NEW, OLD]);
    const signature = secrets.sign('a');
    expect(secrets.verify(secrets.name, 'a', signature)).toBe(true);
    expect(secrets.verify(secrets.name, 'b', signature)).toBe(false);
    expect(new TokenSecrets([OLD, NEW]).verify(secrets.name, 'a', signature)).toBe(true);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (const last of alphabet) {
      const other = `${signature.slice(0, -1)}${last}`;
      expect(secrets.verify(secrets.name, 'a', other)).toBe(other === signature);
    }
    expect(secrets.verify(secrets.name, 'a', '')).toBe(false);
    expect(secrets.verify(secrets.name, 'a', `${signature}=`)).toBe(false);
  });

  it.each([
    [[], 'secrets must have at least one secret'],
    [[NEW, 'too short'], 'secrets[1] must have at least 16 characters, got 9'],
  ])('refuse %j without showing it', (secrets, message) => {
    expect(() => new TokenSecrets(secrets)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', message: expect.stringContaining(message) }),
    );
  });
});

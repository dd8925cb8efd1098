import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { adminTokens, newAdminToken, tokenFileText } from '../../src/admin/tokens.js';

const TOKEN = 'a-token-that-is-long-enough';
const HASH = createHash('sha256').update(TOKEN).digest('hex');

describe('tokens', () => {
  it.each([
    ['a token', TOKEN, `token ${HASH.slice(0, 8)}`],
    ['a token with a name', `ann:${TOKEN}`, 'ann'],
    ['a hash', `sha256:${HASH}`, `token ${HASH.slice(0, 8)}`],
    ['a hash with a name', `ci.deploy-1:sha256:${HASH}`, 'ci.deploy-1'],
  ])('are known by %s', (_, text, name) => {
    expect(adminTokens({ read: [], write: [text] }).find(TOKEN)).toEqual({ name, access: 'write' });
    expect(adminTokens({ read: [text], write: [] }).find(TOKEN)).toEqual({ name, access: 'read' });
    expect(adminTokens({ read: [text], write: [] }).find(`${TOKEN}x`)).toBeUndefined();
    expect(adminTokens({ read: [text], write: [] }).find(HASH)).toBeUndefined();
  });

  it.each(['', 'short', 'ann:short', 'with a space in the middle', 'ann:sha256:abc', `an n:${TOKEN}`, ':'])(
    'are refused, and not repeated: %j',
    (text) => {
      const refused = expect.objectContaining({ code: 'SLUICE_OPTION', path: 'writeTokens[1]' });
      expect(() => adminTokens({ read: [], write: [newAdminToken(), text] })).toThrow(refused);
      if (text.length < 5) return;
      expect(() => adminTokens({ read: [text], write: [] })).not.toThrow(text);
    },
  );

  it('stand in one list only', () => {
    expect(() => adminTokens({ read: [TOKEN], write: [`ann:sha256:${HASH}`] })).toThrow(
      /^writeTokens\[0\] must not be a token that is in the list already/,
    );
  });

  it('that are made are long, and fit their file', () => {
    const [read, write] = [newAdminToken(), newAdminToken()];
    expect(read).toMatch(/^[\w-]{32}$/);
    expect(write).not.toBe(read);
    expect(tokenFileText({ read: [read], write: [write] })).toBe(`read ${read}\nwrite ${write}\n`);
    expect(adminTokens({ read: [read], write: [write] }).find(write)?.access).toBe('write');
  });
});

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { SluiceError } from '@sluice/core';

/** The right of a token: to read, or to change. The right to change includes the right to read. */
export type Access = 'read' | 'write';

/** Somebody who has shown a token. */
export interface AdminCaller {
  /** The name of the token, or the beginning of its hash. It stands in audit lines. */
  readonly name: string;
  readonly access: Access;
}

/** The tokens of the administration, as texts. */
interface AdminTokenTexts {
  readonly read: readonly string[];
  readonly write: readonly string[];
}

interface KnownToken extends AdminCaller {
  readonly hash: Buffer;
}

/** A shorter token can be guessed. */
const LEAST_CHARACTERS = 16;

/** How much of a hash names a token that has no name. */
const FINGERPRINT_CHARACTERS = 8;

/** A name, then a token as `Bearer` may have it (RFC 6750 section 2.1), or its hash. */
const TEXT = /^(?:(?!sha256:)([A-Za-z0-9._-]{1,64}):)?(?:sha256:([0-9a-f]{64})|([A-Za-z0-9._~+/-]+=*))$/;

/** Knows the tokens by their hashes alone. */
export class AdminTokens {
  readonly #known: readonly KnownToken[];

  /** Use `adminTokens`. */
  constructor(known: readonly KnownToken[]) {
    this.#known = known;
  }

  /**
   * Returns who shows this token; undefined if nobody has it. It takes the same time whichever token is shown: each is hashed, and
   * compared with all.
   */
  find(token: string): AdminCaller | undefined {
    const hash = hashOf(token);
    let found: AdminCaller | undefined;
    for (const known of this.#known) if (timingSafeEqual(known.hash, hash)) found = known;
    return found && { name: found.name, access: found.access };
  }
}

/**
 * Reads the tokens of the administration. Each text is a token, `name:token`, or `name:sha256:` with the SHA-256 of the token in
 * hexadecimal, as `printf %s "$TOKEN" | sha256sum` prints it. The name says in audit lines who it was.
 *
 * @throws SluiceError `SLUICE_OPTION`. Its message never has a token.
 * @example adminTokens({ read: ['grafana:JqN0kD2…'], write: ['ann:sha256:9f86d081…'] })
 */
export function adminTokens({ read, write }: AdminTokenTexts): AdminTokens {
  const known = [
    ...read.map((text, i) => readToken(text, 'read', `readTokens[${i}]`)),
    ...write.map((text, i) => readToken(text, 'write', `writeTokens[${i}]`)),
  ];
  const hashes = known.map(({ hash }) => hash.toString('hex'));
  const twice = hashes.findIndex((hash, i) => hashes.indexOf(hash) !== i);
  if (twice >= 0) throw tokenError(pathOf(twice, read.length), 'must not be a token that is in the list already');
  return new AdminTokens(known);
}

/** Makes a token that nobody can guess: 192 random bits. */
export function newAdminToken(): string {
  return randomBytes(24).toString('base64url');
}

/** The text of the file that holds tokens which the program has made. `sluice --token-file` reads it. */
export function tokenFileText({ read, write }: AdminTokenTexts): string {
  const lines = (access: Access, tokens: readonly string[]): string[] => tokens.map((token) => `${access} ${token}\n`);
  return [...lines('read', read), ...lines('write', write)].join('');
}

function readToken(text: string, access: Access, path: string): KnownToken {
  const [, name, hex, token = ''] = TEXT.exec(text) ?? [];
  if (hex === undefined && token.length < LEAST_CHARACTERS) {
    const rule = `at least ${LEAST_CHARACTERS} letters, digits and -._~+/, with a name and a colon before it if you like`;
    throw tokenError(path, `must be a token: ${rule}`);
  }
  const hash = hex === undefined ? hashOf(token) : Buffer.from(hex, 'hex');
  return { name: name ?? `token ${hash.toString('hex').slice(0, FINGERPRINT_CHARACTERS)}`, access, hash };
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function pathOf(place: number, reads: number): string {
  return place < reads ? `readTokens[${place}]` : `writeTokens[${place - reads}]`;
}

/** An error that does not say what it got. */
function tokenError(path: string, rule: string): SluiceError {
  return new SluiceError('SLUICE_OPTION', `${path} ${rule}`, { path });
}

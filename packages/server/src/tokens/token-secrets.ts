import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { optionError } from '@sluice/core/values';

/** A shorter secret could be guessed from one token. */
const LEAST_CHARACTERS = 16;

/** Of the name of a secret, in base64url: 48 bits. */
const NAME_CHARACTERS = 8;

const CIPHER = 'aes-256-ctr';
const NONCE_BYTES = 16;

/** The name and the keys that are derived from one secret. Each use has a key of its own. */
interface SecretKeys {
  /** Says in tokens which secret it is, and tells nothing about it. */
  readonly name: string;
  readonly signing: Buffer;
  readonly sealing: Buffer;
}

/**
 * The secrets of an installation: the first one seals and signs, and all of them verify. To change a secret without losing
 * reservations, add the new one behind the old one in all instances, then put it first, and remove the old one when no reservation of
 * it is open any more.
 */
export class TokenSecrets {
  readonly #first: SecretKeys;
  readonly #byName: ReadonlyMap<string, SecretKeys>;

  /**
   * @param secrets - at least one; each of at least 16 characters
   * @throws SluiceError `SLUICE_OPTION`. It never has a secret in it.
   */
  constructor(secrets: readonly string[]) {
    const all = secrets.map((secret, i) => keysOf(checkSecret(secret, `secrets[${i}]`)));
    const [first] = all;
    if (!first) throw optionError('secrets', 'must have at least one secret', secrets);
    this.#first = first;
    this.#byName = new Map(all.map((keys) => [keys.name, keys]));
  }

  /** The name of the secret that seals and signs. */
  get name(): string {
    return this.#first.name;
  }

  /** Whether there is a secret of this name. */
  has(name: string): boolean {
    return this.#byName.has(name);
  }

  /** Encrypts a text by the first secret, as base64url. The same text looks different each time. */
  seal(text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#first.sealing, nonce);
    return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final()]).toString('base64url');
  }

  /** Returns the signature of a text by the first secret, as base64url. */
  sign(text: string): string {
    return signatureOf(this.#first, text);
  }

  /** Decrypts a text. Call it only after `verify`. */
  open(name: string, sealed: string): string {
    const bytes = Buffer.from(sealed, 'base64url');
    const decipher = createDecipheriv(CIPHER, this.#of(name).sealing, bytes.subarray(0, NONCE_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES)), decipher.final()]).toString('utf8');
  }

  /**
   * Whether a signature is that of a text. It takes the same time wherever the two differ. The texts of signatures are compared, because
   * four texts mean the same 256 bits.
   */
  verify(name: string, text: string, signature: string): boolean {
    const right = Buffer.from(signatureOf(this.#of(name), text));
    const given = Buffer.from(signature);
    return given.length === right.length && timingSafeEqual(given, right);
  }

  #of(name: string): SecretKeys {
    return this.#byName.get(name) as SecretKeys;
  }
}

function checkSecret(secret: string, path: string): string {
  if (secret.length >= LEAST_CHARACTERS) return secret;
  throw optionError(path, `must have at least ${LEAST_CHARACTERS} characters`, secret.length);
}

function keysOf(secret: string): SecretKeys {
  return {
    name: hmac(secret, 'sluice reservation 1: name').toString('base64url').slice(0, NAME_CHARACTERS),
    signing: hmac(secret, 'sluice reservation 1: sign'),
    sealing: hmac(secret, 'sluice reservation 1: seal'),
  };
}

function signatureOf({ signing }: SecretKeys, text: string): string {
  return hmac(signing, text).toString('base64url');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

import { usageError } from '../exit-code.js';

/** A store that is reached over a network. */
export interface ServerUrl {
  readonly kind: 'redis' | 'postgres';
  /** As it was given, with its password. */
  readonly text: string;
  readonly url: URL;
  /** Without its password. */
  readonly shown: string;
  /** Takes the password out of what a client says. */
  readonly hide: (message: string) => string;
}

/** A store in a file. */
export interface FileUrl {
  readonly kind: 'sqlite';
  readonly file: string;
  readonly shown: string;
}

const KINDS: Readonly<Record<string, ServerUrl['kind']>> = {
  'redis:': 'redis',
  'rediss:': 'redis',
  'postgres:': 'postgres',
  'postgresql:': 'postgres',
};

/** Two slashes come only before a third, which begins the path. SQLite has names of its own that begin with a colon. */
const SQLITE = /^sqlite:(?:\/\/(?=\/)|(?!\/\/))([^:?#\0][^?#\0]*)$/;

/**
 * Reads the address of a store.
 *
 * @throws CommandError 2, which does not repeat the address: it may have a password
 */
export function storeUrl(given: string): ServerUrl | FileUrl {
  const text = given.trim();
  const [, file] = SQLITE.exec(text) ?? [];
  if (file !== undefined) return { kind: 'sqlite', file, shown: `sqlite:${file}` };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const kind = KINDS[url?.protocol ?? ''];
  if (!url || !kind || !isRight(kind, url)) throw wrongUrl();
  const secrets = secretsOf(url);
  const hide = (message: string): string => secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), message);
  return { kind, text, url, shown: shownUrl(url), hide };
}

function isRight(kind: ServerUrl['kind'], { hostname, pathname, searchParams }: URL): boolean {
  // A socket of the file system is a parameter: postgres:///database?host=/run/postgresql
  if (kind === 'postgres') return hostname !== '' || searchParams.has('host');
  return hostname !== '' && /^(\/\d*)?$/.test(pathname);
}

function wrongUrl(): Error {
  return usageError(
    '--store: Write redis://host:6379, postgres://user@host/database or sqlite:limits.db; rediss:// is a Redis with TLS.',
  );
}

/** Returns the password as it was written, and as it is sent. */
function secretsOf({ username, password, searchParams }: URL): string[] {
  try {
    decodeURIComponent(username);
    const all = [password, decodeURIComponent(password), searchParams.get('password'), searchParams.get('sslpassword')];
    return all.filter((secret) => secret !== null && secret !== '') as string[];
  } catch {
    // There is a % that is no escape.
    throw wrongUrl();
  }
}

function shownUrl({ protocol, username, host, pathname }: URL): string {
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`;
}

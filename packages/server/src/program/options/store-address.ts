import { SluiceError } from '@sluice/core';
import type { ReadValue } from './read-value.js';

/** What instances can share. */
export type StoreKind = 'redis' | 'postgres' | 'sqlite';

/** Where a shared store is. */
export interface StoreAddress {
  readonly kind: StoreKind;
  /** The URL of a server, which may contain a password, or the path of a file. */
  readonly place: string;
}

/** An address of one kind. */
interface Form {
  readonly protocols: readonly string[];
  readonly example: string;
  /** Returns the place, or undefined if the text is wrong. */
  readonly placeIn: (text: string) => string | undefined;
}

const FORMS: Readonly<Record<StoreKind, Form>> = {
  redis: {
    protocols: ['redis:', 'rediss:'],
    example:
      'an address like redis://host:6379, with user, password and number of the database where needed: redis://user:password@host:6379/0',
    placeIn: (text) => urlIn(text, ({ hostname, pathname }) => hostname !== '' && /^(\/\d*)?$/.test(pathname)),
  },
  postgres: {
    protocols: ['postgres:', 'postgresql:'],
    example: 'an address like postgres://user:password@host:5432/database',
    // A socket of the file system is a parameter: postgres:///database?host=/run/postgresql
    placeIn: (text) => urlIn(text, ({ hostname, searchParams }) => hostname !== '' || searchParams.has('host')),
  },
  sqlite: {
    protocols: ['sqlite:'],
    example: 'sqlite: and the path of a file, like sqlite:limits.db or sqlite:///var/lib/sluice/limits.db',
    // SQLite has names of its own that begin with a colon, such as that of a database in memory.
    placeIn: (text) => /^sqlite:(?:\/\/(?=\/)|(?!\/\/))([^:?#\0][^?#\0]*)$/.exec(text)?.[1],
  },
};

/** Returns a URL as it was given, if a client can take it apart. */
function urlIn(text: string, isRight: (url: URL) => boolean): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && isRight(url) && isDecodable(url.username + url.password + url.pathname) ? text : undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Reads the address of a store. It may contain a password, so no message repeats it. */
export const readStoreAddress: ReadValue<StoreAddress> = (text, name) => {
  const protocol = /^[a-z]+:/.exec(text)?.[0] ?? '';
  const kinds = Object.keys(FORMS) as StoreKind[];
  const kind = kinds.find((each) => FORMS[each].protocols.includes(protocol));
  const place = kind && FORMS[kind].placeIn(text);
  if (kind && place !== undefined) return { kind, place };
  const all = kinds.flatMap((each) => FORMS[each].protocols).join(', ');
  const rule = kind ? `be ${FORMS[kind].example}` : `begin with one of ${all}`;
  throw new SluiceError('SLUICE_OPTION', `${name} must ${rule}`, { path: name });
};

import type { LoggedRequest } from '../log/logged-request.js';

/** Where a key of a policy file is in the log, by `--key`. */
export type KeySource =
  | { readonly from: 'address' }
  | { readonly from: 'header'; readonly header: string }
  | { readonly from: 'value'; readonly name: string };

/** A `--key` of the command line. Without a name it is for every key that the log does not have. */
export interface KeyMapping {
  readonly key: string | undefined;
  readonly source: KeySource;
}

const HEADER = /^(?:header\.|\$?http_)(.+)$/;

/** Reads `customer=header.x-api-key`, `remote_addr`, `customer=user.id`. */
export function readKeyMapping(text: string): KeyMapping {
  const equals = text.indexOf('=');
  const key = equals < 0 ? undefined : text.slice(0, equals);
  return { key, source: readKeySource(text.slice(equals + 1)) };
}

function readKeySource(text: string): KeySource {
  if (/^\$?(remote_addr|ip|address)$/.test(text)) return { from: 'address' };
  const [, header] = HEADER.exec(text) ?? [];
  if (header === undefined) return { from: 'value', name: text.replace(/^\$/, '') };
  return { from: 'header', header: header.toLowerCase().replaceAll('_', '-') };
}

/** Returns the function that reads a source. */
export function keyReader(
  source: KeySource,
  values: readonly string[],
): (request: LoggedRequest) => string | undefined {
  switch (source.from) {
    case 'address':
      return ({ ip }) => ip;
    case 'header':
      return ({ headers }) => headers[source.header] as string | undefined;
    case 'value': {
      const index = values.indexOf(source.name);
      return (request) => request.values[index];
    }
  }
}

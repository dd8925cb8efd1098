import { dirname } from 'node:path';
import { unreadableError } from '../exit-code.js';
import { nameOf, readInput } from '../input.js';
import type { Io } from '../io.js';
import type { Conversion } from './conversion.js';
import { convert, type Format, NotConvertibleError } from './convert.js';
import { readMatching } from './nginx/find-files.js';
import { NginxSyntaxError } from './nginx/parse.js';
import { includedPath } from './nginx/read-config.js';
import { YamlSyntaxError } from './yaml-value.js';

/**
 * Reads a configuration of another product, with the files that it includes, and converts it.
 *
 * @param path - the file, or `-` for the standard input
 * @param format - what it is. Default: told by the text
 * @throws CommandError if it cannot be read or converted
 */
export async function convertInput(path: string, io: Io, format: Format | undefined): Promise<Conversion> {
  const text = await readInput(path, io);
  const folder = path === '-' ? '.' : dirname(path);
  try {
    return await convert(text, nameOf(path), (pattern) => readMatching(includedPath(pattern, folder)), format);
  } catch (error) {
    const isForeign =
      error instanceof NginxSyntaxError || error instanceof YamlSyntaxError || error instanceof NotConvertibleError;
    throw isForeign ? unreadableError(error.message, error) : error;
  }
}

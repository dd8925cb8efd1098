import { createGunzip } from 'node:zlib';
import type { BodyReader } from './body-reader.js';

/** Reads a body that is compressed with gzip, for those who pass on what the provider sent as it is. */
export function gzipReader(inner: BodyReader): BodyReader {
  const zip = createGunzip();
  const isOver = new Promise<void>((resolve) => {
    // A body that broke off ends with an error. What has passed until then was read.
    zip.on('error', () => resolve());
    zip.on('end', resolve);
  });
  zip.on('data', (chunk: Buffer) => inner.push(chunk));
  return {
    push(chunk) {
      if (!zip.destroyed) zip.write(chunk);
    },
    async end() {
      if (!zip.destroyed) zip.end();
      await isOver;
      await inner.end();
    },
  };
}

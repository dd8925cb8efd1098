import type { ServerResponse } from 'node:http';
import { constants, createGzip } from 'node:zlib';

/** Where the text of an answer is written to. */
export interface Sink {
  /** Resolves when the text was given to the connection, or the connection is closed. */
  write(text: string | Uint8Array): Promise<void>;
  end(text: string | Uint8Array): void;
}

/** Returns the sink of a response. With gzip, each text is compressed and sent by itself. */
export function sinkOf(response: ServerResponse, gzip: boolean): Sink {
  if (!gzip)
    return {
      write: (text) => written(response, text),
      end: (text) => void response.end(text),
    };
  const zip = createGzip({ flush: constants.Z_SYNC_FLUSH });
  zip.pipe(response);
  return {
    write: (text) => written(zip, text),
    end: (text) => void zip.end(text),
  };
}

/** The callback of `write` is also called, with an error, if the connection is closed. */
function written(stream: NodeJS.WritableStream, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => stream.write(text, () => resolve()));
}

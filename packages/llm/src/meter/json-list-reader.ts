import { parsedObject } from '../json-object.js';
import type { UsageReader } from '../usage/usage-reader.js';
import type { BodyReader } from './body-reader.js';
import { elementEnds } from './piece-ends.js';
import { pieceReader } from './piece-reader.js';

/**
 * Reads the elements of a JSON array as they pass: Gemini's streams are one if they are not asked for as events. See
 * https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent
 */
export function jsonListReader(usage: UsageReader): BodyReader {
  return pieceReader(elementEnds(), (piece) => {
    // A bracket or a comma stands before it.
    usage.read(parsedObject(piece.toString('utf8', piece.indexOf('{'))));
  });
}

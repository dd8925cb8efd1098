import { LineCounter, parseDocument } from 'yaml';
import { offsetOf } from '../file/nodes.js';
import type { FilePath } from './explanation.js';

/**
 * Makes a function that returns the line of a place in the text of a policy file, from 1. If the text does not have the place,
 * because it is a default, it is the line of what the place would be in.
 *
 * @param text - the text of a file that `readPolicyFile` has accepted
 */
export function lineFinder(text: string): (path: FilePath) => number {
  const lines = new LineCounter();
  const { contents } = parseDocument(text, { lineCounter: lines, uniqueKeys: false, logLevel: 'silent' });
  return (path) => lines.linePos(offsetOf(contents, path, 'key')).line;
}

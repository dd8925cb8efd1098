import type { UsageReader } from '../usage/usage-reader.js';
import type { BodyReader } from './body-reader.js';

/** The most characters of one element that are kept until it ends. */
const MOST_CHARACTERS = 16_777_216;

/**
 * Reads the elements of a JSON array as they pass: Gemini's streams are one if they are not asked for as events. See
 * https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent
 */
export function jsonListReader(usage: UsageReader): BodyReader {
  const decoder = new TextDecoder();
  let element = '';
  let depth = 0;
  let isInString = false;
  let isEscaped = false;

  const pass = (text: string): void => {
    let from = depth > 1 ? 0 : text.length;
    for (let i = 0; i < text.length; i += 1) {
      const sign = text[i];
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (sign === '\\') isEscaped = true;
        else if (sign === '"') isInString = false;
      } else if (sign === '"') {
        isInString = true;
      } else if (sign === '{' || sign === '[') {
        depth += 1;
        if (depth === 2) from = i;
      } else if (sign === '}' || sign === ']') {
        depth -= 1;
        if (depth !== 1) continue;
        readElement(element + text.slice(from, i + 1), usage);
        element = '';
        from = text.length;
      }
    }
    // An element of an endless length is not read.
    if (element.length <= MOST_CHARACTERS) element += text.slice(from);
  };
  return {
    push(chunk) {
      pass(decoder.decode(chunk, { stream: true }));
      return undefined;
    },
    end() {},
  };
}

function readElement(text: string, usage: UsageReader): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return;
  }
  usage.read(value);
}

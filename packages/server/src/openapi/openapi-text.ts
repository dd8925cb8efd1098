import { openApiDocument } from './openapi-document.js';

/** Returns the text of `openapi.json`. */
export function openApiText(): string {
  return `${JSON.stringify(openApiDocument(), null, 2)}\n`;
}

import { writeFileSync } from 'node:fs';
import { openApiText } from '../dist/esm/openapi/openapi-text.js';

/** Writes `openapi.json`. A test compares it with what the schemas say that check requests. */
writeFileSync(new URL('../openapi.json', import.meta.url), openApiText());

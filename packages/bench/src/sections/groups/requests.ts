import type { Section } from '../../section.js';
import { calls } from '../calls.js';
import { files } from '../files.js';
import { http } from '../http.js';
import { modelCalls } from '../model-calls.js';
import { operations } from '../operations.js';
import { server } from '../server.js';
import { starts } from '../starts.js';

/** What a request costs, and how much code is behind it. */
export const REQUEST_SECTIONS: readonly (readonly [name: string, section: Section])[] = [
  ['http', http],
  ['starts', starts],
  ['files', files],
  ['calls', calls],
  ['model-calls', modelCalls],
  ['operations', operations],
  ['server', server],
];

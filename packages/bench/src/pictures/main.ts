import { writeFileSync } from 'node:fs';
import { MODES } from './modes.js';
import { draw } from './picture.js';
import { simulate } from './simulate.js';

/** `npm run pictures`: draws the pictures of the pages again. A test says when that is due. */
const FOLDER = new URL('../../../core/docs/pictures/', import.meta.url);

for (const mode of MODES) writeFileSync(new URL(`${mode.name}.svg`, FOLDER), draw(mode, await simulate(mode)));

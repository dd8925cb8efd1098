import { everythingOf, playedBetween } from './played.js';

Object.assign(globalThis, { everythingOf, playedBetween });

import { textbook } from '@sluice/test-kit/textbook/textbook';
import express5 from 'express';
import express4 from 'express4';
import { startOn } from './express-host.js';

textbook('Express 5', startOn(express5));

// `npm run proof -- suites` runs it, too: both versions take a request to the limiter in the same way.
if (process.env.SLUICE_SUITES === 'full') textbook('Express 4', startOn(express4));

import { textbook } from '@sluice/test-kit/textbook/textbook';
import express5 from 'express';
import express4 from 'express4';
import { startOn } from './express-host.js';

textbook('Express 4', startOn(express4));
textbook('Express 5', startOn(express5));

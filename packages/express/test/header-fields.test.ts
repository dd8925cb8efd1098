import { fieldsOnTheWire } from '@sluice/test-kit/fields-on-the-wire';
import express5 from 'express';
import express4 from 'express4';
import { startOn } from './express-host.js';

fieldsOnTheWire('Express 4', startOn(express4));
fieldsOnTheWire('Express 5', startOn(express5));

import { adapterSuite } from '@sluice/core/testing';
import { start } from './hono-host.js';

adapterSuite('Hono 4', start, { handlerEnds: true });

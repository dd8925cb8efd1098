import { adapterSuite } from '@sluice/conformance';
import { start } from './hono-host.js';

adapterSuite('Hono 4', start, { handlerEnds: true });

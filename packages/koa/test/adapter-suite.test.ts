import { adapterSuite } from '@sluice/conformance';
import { start } from './koa-host.js';

adapterSuite('Koa 3', start, { handlerEnds: true });

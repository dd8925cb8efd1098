import { adapterSuite } from '@sluice/conformance';
import { start } from './koa-host.js';

adapterSuite('Koa', start, { handlerEnds: true });

import { adapterSuite } from '@sluice/core/testing';
import { start } from './koa-host.js';

adapterSuite('Koa', start, { handlerEnds: true });

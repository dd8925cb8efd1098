import { adapterSuite } from '@sluice/conformance';
import { inCi } from '@sluice/test-kit/adapter-suite-in-ci';
import { start } from './koa-host.js';

adapterSuite('Koa 3', start, { handlerEnds: true }, inCi('asynchronous'));

import { adapterSuite } from '@sluice/conformance';
import { inCi } from '@sluice/test-kit/adapter-suite-in-ci';
import { start } from './hono-host.js';

adapterSuite('Hono 4', start, { handlerEnds: true }, inCi('synchronous'));

import { adapterSuite } from '@sluice/conformance';
import { inCi } from '@sluice/test-kit/adapter-suite-in-ci';
import { startOnFastify } from './nest-host.js';

adapterSuite('Nest on Fastify', startOnFastify, { handlerEnds: true }, inCi('synchronous'));

import { adapterSuite } from '@sluice/conformance';
import { startOnFastify } from './nest-host.js';

adapterSuite('Nest on Fastify', startOnFastify, { handlerEnds: true });

import { adapterSuite } from '@sluice/conformance';
import { startOnExpress, startOnFastify } from './nest-host.js';

adapterSuite('Nest on Express', startOnExpress, { handlerEnds: true });
adapterSuite('Nest on Fastify', startOnFastify, { handlerEnds: true });

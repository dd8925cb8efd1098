import { adapterSuite } from '@sluice/core/testing';
import { startOnExpress, startOnFastify } from './nest-host.js';

adapterSuite('Nest on Express', startOnExpress);
adapterSuite('Nest on Fastify', startOnFastify);

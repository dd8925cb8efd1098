import { adapterSuite } from '@sluice/core/testing';
import { start } from './fastify-host.js';

adapterSuite('Fastify 5', start);

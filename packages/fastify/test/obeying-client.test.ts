import { obeyingClient } from '@sluice/test-kit/obeying-client';
import { start } from './fastify-host.js';

obeyingClient('Fastify 5', start, 10);

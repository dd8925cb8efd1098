import { obeyingClient } from '../../core/test/obeying-client.js';
import { start } from './fastify-host.js';

obeyingClient('Fastify 5', start);

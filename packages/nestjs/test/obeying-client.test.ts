import { obeyingClient } from '../../core/test/obeying-client.js';
import { startOnExpress, startOnFastify } from './nest-host.js';

obeyingClient('Nest on Express', startOnExpress, 20);
obeyingClient('Nest on Fastify', startOnFastify, 20);

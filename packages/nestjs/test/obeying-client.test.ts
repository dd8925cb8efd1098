import { obeyingClient } from '@sluice/test-kit/obeying-client';
import { startOnExpress, startOnFastify } from './nest-host.js';

obeyingClient('Nest on Express', startOnExpress, 20);
obeyingClient('Nest on Fastify', startOnFastify, 20);

import { obeyingClient } from '@sluice/test-kit/obeying-client';
import { startOnExpress, startOnFastify } from './nest-host.js';

obeyingClient('Nest on Express', startOnExpress, 5);
obeyingClient('Nest on Fastify', startOnFastify, 5);

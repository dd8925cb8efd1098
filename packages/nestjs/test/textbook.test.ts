import { textbook } from '@sluice/test-kit/textbook/textbook';
import { startOnExpress, startOnFastify } from './nest-host.js';

textbook('Nest on Express', startOnExpress);
textbook('Nest on Fastify', startOnFastify);

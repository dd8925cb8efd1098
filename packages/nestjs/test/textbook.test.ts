import { textbook } from '../../core/test/textbook/textbook.js';
import { startOnExpress, startOnFastify } from './nest-host.js';

textbook('Nest on Express', startOnExpress);
textbook('Nest on Fastify', startOnFastify);

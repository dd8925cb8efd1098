import { textbook } from '@sluice/test-kit/textbook/textbook';
import { start } from './hono-host.js';

textbook('Hono 4', start);

import { sheddingSuite } from '@sluice/test-kit/shedding-suite';
import { startShedding } from './shedding-host.js';

sheddingSuite('Hono 4 on Node', startShedding);

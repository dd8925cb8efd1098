import { sheddingSuite } from '@sluice/test-kit/shedding-suite';
import { startShedding } from './shedding-host.js';

sheddingSuite('Koa 3', startShedding);

import { adapterSuite } from '@sluice/conformance';
import { startOnExpress } from './nest-host.js';

adapterSuite('Nest on Express', startOnExpress, { handlerEnds: true });

import { adapterSuite } from '@sluice/conformance';
import { inCi } from '@sluice/test-kit/adapter-suite-in-ci';
import { startOnExpress } from './nest-host.js';

adapterSuite('Nest on Express', startOnExpress, { handlerEnds: true }, inCi('asynchronous'));

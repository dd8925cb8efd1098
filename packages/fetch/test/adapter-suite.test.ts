import { adapterSuite } from '@sluice/conformance';
import { inCi } from '@sluice/test-kit/adapter-suite-in-ci';
import { start } from './fetch-host.js';

adapterSuite('fetch', start, { handlerEnds: true }, inCi('asynchronous'));

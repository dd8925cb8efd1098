import { usagesCompile } from '@sluice/test-kit/usages-compile';

usagesCompile(__dirname);

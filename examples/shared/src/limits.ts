import { concurrency, leakyBucket, slidingWindow } from '@sluice/core';

/** What one address may do on the whole API. Every route's own limit is below it. */
export const EVERYWHERE = slidingWindow({ limit: 300, window: '1m' });

/** Wrong passwords per address and user name. */
export const FAILURES = slidingWindow({ limit: 5, window: '15m' });

/** The database behind it bears two reports a second, whoever asks; five may be under way. */
export const REPORTS = leakyBucket({ capacity: 5, leakRate: 2 });

/** Downloads that one address may have open. A slot outlives a process that died by ten seconds. */
export const DOWNLOADS = concurrency({ limit: 2, lease: '10s' });

import { clusterStore } from '../../src/index.js';

const [channel, snapshot] = process.argv.slice(2) as [channel: string, snapshot?: string];

const store = clusterStore({ role: 'primary', channel, ...(snapshot !== undefined && { snapshot }) });

process.on('message', () => process.exit());
store.ready().then(() => process.send?.('ready'));

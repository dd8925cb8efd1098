import { clusterStore } from '../../src/index.js';

const [channel] = process.argv.slice(2) as [channel: string];

const store = clusterStore({ role: 'primary', channel });

process.on('message', async () => {
  await store.close();
  process.disconnect();
});
store.ready().then(() => process.send?.('ready'));

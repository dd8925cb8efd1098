import type { Note } from '../conversion.js';
import type { YamlValue } from '../yaml-value.js';

/** What a program has to set, since a policy file has no place for it. */
export function settingsNotes(config: YamlValue): Note[] {
  const notes: Note[] = [];
  const by = config.get('limit_by').text ?? config.get('identifier').text;
  const code = config.get('error_code').number;
  const message = config.get('error_message').text;
  if (code !== undefined && code !== 429)
    notes.push({ kind: 'left out', text: `error_code: ${code}. Give the middleware statusCode: ${code}` });
  if (message !== undefined)
    notes.push({
      kind: 'left out',
      text: `error_message. Give the middleware message: { message: ${JSON.stringify(message)} }`,
    });
  if (config.get('hide_client_headers').isTrue)
    notes.push({ kind: 'left out', text: 'hide_client_headers. Give the middleware standardHeaders: false' });
  if (by === 'path') notes.push({ kind: 'left out', text: 'limit_by: path: everybody is counted together here' });
  const policy = config.get('policy').text ?? config.get('strategy').text ?? 'local';
  if (policy !== 'local') {
    notes.push({
      kind: 'from',
      text: `policy: ${policy}: give policies() a RedisStore, or a store of @sluice/postgres`,
    });
    if (!config.get('fault_tolerant').isFalse)
      notes.push({
        kind: 'from',
        text: 'fault_tolerant: true admits everything while the store is away. onStoreError: local would limit in memory meanwhile',
      });
  }
  const syncRate = config.get('sync_rate').number ?? -1;
  if (syncRate > 0)
    notes.push({
      kind: 'differs',
      text: `sync_rate: ${syncRate} passes the limit by what the other nodes admit meanwhile; here no request passes it`,
    });
  return notes;
}

/** Notes about a policy with tiers. */
export function tierNotes(config: YamlValue): Note[] {
  const by = config.get('limit_by').text ?? config.get('identifier').text ?? 'consumer';
  const notes: Note[] = [
    {
      kind: 'differs',
      text: 'the plugin of a consumer counts its requests of all routes together; here each policy counts by itself',
    },
  ];
  if (by !== 'consumer' && by !== 'credential')
    notes.push({ kind: 'left out', text: `limit_by: ${by}: because of the consumers it is counted by consumer here` });
  return notes;
}

/** Returns why something failed, as a part of a sentence. */
export function reasonText(error: unknown): string {
  const { message, code } = (error ?? {}) as NodeJS.ErrnoException;
  // If none of several addresses of a host could be reached, Node reports only a code.
  return (message || code || String(error)).replace(/\.$/, '');
}

/** What helps against errors of a connection, by what their reason says. */
const REMEDIES: readonly [says: RegExp, remedy: string][] = [
  [/ECONNREFUSED|ENOENT/, 'Start the server, or write the host and the port that it listens on.'],
  [/ENOTFOUND|EAI_AGAIN/, 'Write the right name of the host.'],
  [
    /WRONGPASS|NOAUTH|password|no pg_hba.conf entry|role .* does not exist/i,
    'Write the right user name and password into the URL.',
  ],
  [/database .* does not exist/, 'Create the database, or write the right one into the URL.'],
  [/too many clients|connection slots/, 'Lower max of the pools, or raise max_connections.'],
  [/no answer|timed? ?out|timeout/i, 'See whether the server hangs, or whether a firewall drops what is sent to it.'],
  [/SSL|TLS|certificate/i, 'See whether the server speaks TLS on this port, and who has signed its certificate.'],
];

/** Returns what helps against a reason for which a server cannot be reached. */
export function remedyFor(reason: string): string {
  return REMEDIES.find(([says]) => says.test(reason))?.[1] ?? 'Look into the log of the server.';
}

/** Returns the address of the connection of a call, which the library writes as `203.0.113.7:4711`, IPv6 without brackets. */
export function peerAddress(peer: string): string | undefined {
  const colon = peer.lastIndexOf(':');
  return colon > 0 ? peer.slice(0, colon) : undefined;
}

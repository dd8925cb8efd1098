// Stands in for `node:net` in the page.

/** No connection of the page is one of Node's. */
export class Socket {}

/** Whether a text is an IPv6 address, also one with a zone. */
export function isIPv6(text: string): boolean {
  const address = text.replace(/%[0-9a-zA-Z.:-]+$/, '');
  return /^[0-9a-fA-F:.]+$/.test(address) && address.includes(':') && URL.canParse(`http://[${address}]/`);
}

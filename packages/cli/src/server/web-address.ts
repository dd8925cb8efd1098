import { usageError } from '../exit-code.js';

/** Makes the parser of an option that is the address of a server. The path of the result ends with a slash. */
export function webAddress(option: string, example: string): (text: string) => URL {
  return (text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
      // An error of commander would repeat the address, with its password.
      throw usageError(`${option}: Write an address like ${example}, without a name and a password.`);
    }
    if (!url.pathname.endsWith('/')) url.pathname += '/';
    return url;
  };
}

import { InvalidArgumentError } from 'commander';

/** Makes the parser of an option that is a whole number from 1 to `most`. */
export function wholeNumber(most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (Number.isInteger(number) && number >= 1 && number <= most) return number;
    throw new InvalidArgumentError(`It has to be a whole number from 1 to ${most}.`);
  };
}

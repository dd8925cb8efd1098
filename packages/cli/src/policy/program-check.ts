import { type PolicyCheck, serviceCheck } from '@sluice/config';
import { Option } from 'commander';

const CHECKS = { service: serviceCheck } as const satisfies Readonly<Record<string, PolicyCheck>>;

/** A program that cannot do all that a policy file can say. */
export type Program = keyof typeof CHECKS;

/** The option that names the program for which a file is. */
export function programOption(): Option {
  return new Option('--for <program>', 'also show what this program refuses of a file: service').choices(
    Object.keys(CHECKS),
  );
}

/** The option of `readPolicyFile` for a program; none if the file may be for any. */
export function checkOf(program: Program | undefined): { readonly check?: PolicyCheck } {
  return program === undefined ? {} : { check: CHECKS[program] };
}

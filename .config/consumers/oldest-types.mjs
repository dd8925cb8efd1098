// Compiles `types` of a consumer with the oldest TypeScript that is supported, and checks it and our declarations. Those of others are read,
// and not checked, which would take most of the time: newer versions of them may need a newer compiler.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { tool } from '../release/tools.mjs';

const ts = createRequire(import.meta.url)(tool('typescript'));

const unreadable = [];
const onUnRecoverableConfigFileDiagnostic = (fault) => unreadable.push(fault);
const configuration = { ...ts.sys, onUnRecoverableConfigFileDiagnostic };
const project = ts.getParsedCommandLineOfConfigFile(resolve('types/tsconfig.json'), {}, configuration);
const { options = {}, fileNames = [], errors = [] } = project ?? {};
const program = ts.createProgram(fileNames, options);
const isDeclared = ({ fileName }) => fileName.includes('/node_modules/@sluice/') && fileName.endsWith('.d.ts');
const declared = program.getSourceFiles().filter(isDeclared);
const written = fileNames.map((name) => program.getSourceFile(name));
const faults = [
  ...unreadable,
  ...errors,
  ...program.getOptionsDiagnostics(),
  ...program.getGlobalDiagnostics(),
  ...[...written, ...declared].flatMap((file) => [
    ...program.getSyntacticDiagnostics(file),
    ...program.getSemanticDiagnostics(file),
  ]),
  ...written.flatMap((file) => program.getDeclarationDiagnostics(file)),
];
const host = { getCurrentDirectory: () => process.cwd(), getCanonicalFileName: (name) => name, getNewLine: () => '\n' };
if (faults.length > 0) console.error(ts.formatDiagnostics(faults, host));
// What reads none of our declarations shows nothing.
if (faults.length > 0 || declared.length === 0) process.exitCode = 1;

// CommonJS, because it is read alike in both formats, and alone knows where it stands without asking how it was loaded.
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

exports.vectors = readdirSync(__dirname)
  .filter((file) => file.endsWith('.json'))
  .sort()
  .map((file) => ({ file, ...JSON.parse(readFileSync(join(__dirname, file), 'utf8')) }));

// CommonJS, because it is read alike in both formats. Each file by its name, so that a bundler finds it: a Worker reads no files.
const fileOf = (file, content) => ({ file, ...content });

exports.vectors = [
  fileOf('block-duration.json', require('./block-duration.json')),
  fileOf('concurrency.json', require('./concurrency.json')),
  fileOf('count-rejected.json', require('./count-rejected.json')),
  fileOf('fixed-window.json', require('./fixed-window.json')),
  fileOf('growing-blocks.json', require('./growing-blocks.json')),
  fileOf('leaky-bucket.json', require('./leaky-bucket.json')),
  fileOf('margins.json', require('./margins.json')),
  fileOf('several-limits.json', require('./several-limits.json')),
  fileOf('sliding-window-counter.json', require('./sliding-window-counter.json')),
  fileOf('sliding-window-log.json', require('./sliding-window-log.json')),
  fileOf('sliding-window.json', require('./sliding-window.json')),
  fileOf('token-bucket.json', require('./token-bucket.json')),
  fileOf('used.json', require('./used.json')),
];

export default { preset: 'node_server', serverDir: '.', compatibilityDate: '2025-05-05', logLevel: 1 };

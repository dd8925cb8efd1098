export default { preset: 'node-server', compatibilityDate: '2025-05-05', logLevel: 1 };

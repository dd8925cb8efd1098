// Runs before npm publishes a workspace, and keeps it from that: a workspace has no bundles, and a version that npm once had cannot be
// published again. What is published has no scripts.
console.error('A workspace has no bundles: publish the folders of dist, as .config/publish/README.md says.');
process.exitCode = 1;

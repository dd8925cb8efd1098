/**
 * `@sluice/metrics`: what limits do, for Prometheus and OpenTelemetry.
 *
 * @module
 */

export {};

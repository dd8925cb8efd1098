import { portOf, type Settings, settingsFrom } from '@sluice/example-shared';

/** What the environment says of the process. */
export interface ObservedSettings extends Settings {
  /** Where metrics are shown. The default host is this machine alone. */
  readonly metrics: { readonly host: string; readonly port: number };
  /** The path of the policy file. */
  readonly policyFile: string;
}

export function observedSettingsFrom(env: NodeJS.ProcessEnv): ObservedSettings {
  const { METRICS_HOST = '127.0.0.1', METRICS_PORT, POLICIES = 'examples/observed-api/policies/sluice.yaml' } = env;
  return {
    ...settingsFrom(env),
    metrics: { host: METRICS_HOST, port: portOf('METRICS_PORT', METRICS_PORT || '9464') },
    policyFile: POLICIES,
  };
}

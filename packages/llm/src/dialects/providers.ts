import { checkOneOf, checkOptions, optionError } from '@sluice/core/values';
import type { Dialect } from './dialect.js';
import { dialectOf } from './dialects.js';
import type { Format } from './format.js';

/** What differs between the providers that speak OpenAI's dialects. */
export interface ProviderProfile {
  /** The member that caps a chat whose caller set no cap. Default: `'max_completion_tokens'`. */
  readonly chatCap?: 'max_completion_tokens' | 'max_tokens';
  /**
   * Whether a stream may be asked for its usage by `stream_options.include_usage`. False leaves it out: for a provider that refuses the
   * member, or states the usage unasked. Default: true.
   */
  readonly streamOptions?: boolean;
}

/** Providers whose differences are known. */
export type ProviderName = (typeof NAMES)[number];

const NAMES = ['openai', 'azure', 'openrouter', 'mistral', 'deepseek'] as const;

const PROFILES: Readonly<Record<ProviderName, Required<ProviderProfile>>> = {
  openai: { chatCap: 'max_completion_tokens', streamOptions: true },
  // Since the API version 2024-09-01-preview. https://learn.microsoft.com/azure/ai-foundry/openai/reference
  azure: { chatCap: 'max_completion_tokens', streamOptions: true },
  // The usage is always stated. https://openrouter.ai/docs/use-cases/usage-accounting
  openrouter: { chatCap: 'max_tokens', streamOptions: false },
  // It refuses members that it does not know with 422, and states the usage unasked. https://docs.mistral.ai/api
  mistral: { chatCap: 'max_tokens', streamOptions: false },
  // https://api-docs.deepseek.com/api/create-chat-completion
  deepseek: { chatCap: 'max_tokens', streamOptions: true },
};

/** The hosts of the providers. */
const HOSTS: readonly (readonly [host: RegExp, name: ProviderName])[] = [
  [/\.openai\.azure\.com$|\.cognitiveservices\.azure\.com$|\.services\.ai\.azure\.com$/, 'azure'],
  [/(?:^|\.)openrouter\.ai$/, 'openrouter'],
  [/(?:^|\.)mistral\.ai$/, 'mistral'],
  [/(?:^|\.)deepseek\.com$/, 'deepseek'],
];

/** Returns the provider of a host; OpenAI if it is not known: most servers speak as it does. */
export function providerOfHost(host: string): ProviderName {
  return HOSTS.find(([pattern]) => pattern.test(host.toLowerCase()))?.[1] ?? 'openai';
}

/** Returns the record of a dialect as a provider speaks it. */
export function dialectAt(format: Format, provider: ProviderName | ProviderProfile): Dialect {
  const dialect = dialectOf(format);
  const { chatCap, streamOptions } = profileOf(provider);
  const { usageSwitch, ...unasked } = dialect;
  const asked = streamOptions ? dialect : unasked;
  return format === 'openai-chat'
    ? { ...asked, caps: [...dialect.caps].sort(([a]) => (a === chatCap ? -1 : 1)) }
    : asked;
}

function profileOf(provider: ProviderName | ProviderProfile): Required<ProviderProfile> {
  return typeof provider === 'string' ? PROFILES[provider] : { ...PROFILES.openai, ...provider };
}

/**
 * Checks a provider.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkProvider<P extends ProviderName | ProviderProfile>(provider: P, path: string): P {
  if (typeof provider === 'string') {
    checkOneOf(provider, path, NAMES);
    return provider;
  }
  if (typeof provider !== 'object' || provider === null)
    throw optionError(path, `must be one of ${NAMES.join(', ')}, or an object that says what differs`, provider);
  checkOptions(provider, ['chatCap', 'streamOptions'], path);
  const { chatCap, streamOptions } = provider;
  if (chatCap !== undefined) checkOneOf(chatCap, `${path}.chatCap`, ['max_completion_tokens', 'max_tokens'] as const);
  if (streamOptions !== undefined) checkOneOf(streamOptions, `${path}.streamOptions`, [true, false]);
  return provider;
}

import type { Address } from './dialect.js';

/**
 * Returns a path without its query as servers compare it: Express takes `/V1/Messages` for `/v1/messages`, Fastify `/v1/message%73`, and
 * others `/v1//messages/`. The case stays, because names of models have one: compare without it.
 */
export function readPath(path: string): string {
  return decoded(path.replace(/[?#].*$/s, ''))
    .replaceAll(/\/{2,}/g, '/')
    .replace(/\/$/, '');
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** Returns a name that stands in a path, where a slash and other signs of addresses are encoded. */
export function nameInPath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Returns what reads the paths that end so. An address of Azure also names the model:
 * `/openai/deployments/{name}/chat/completions`.
 *
 * @see https://learn.microsoft.com/azure/ai-foundry/openai/reference
 */
export function modelAndEnding(ending: string): (path: string) => Address | undefined {
  return (path) => {
    if (!path.toLowerCase().endsWith(ending)) return undefined;
    const model = /\/deployments\/([^/]+)\//i.exec(path)?.[1];
    return model === undefined ? {} : { model: nameInPath(model) };
  };
}

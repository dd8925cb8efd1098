import type { Change, ChangeResponse, Clock } from '@sluice/core';
import { adjustArguments } from './command-arguments.js';
import type { RedisDriver } from './redis-driver.js';
import type { RedisKeys } from './redis-keys.js';
import { Replies } from './replies.js';
import { algorithmMaskOf, CommandScripts, type Sharing } from './script.js';

/** Changes what was charged, by one call of a script. In a cluster, all keys of a change are on one node. */
export class ChangeScript {
  readonly #scripts: CommandScripts;
  readonly #keys: RedisKeys;

  constructor(driver: RedisDriver, keys: RedisKeys, clock: Clock | undefined, sharing: Sharing) {
    this.#scripts = new CommandScripts(driver, 'adjust', clock, sharing);
    this.#keys = keys;
  }

  /** @param change - without parts: see `listParts` */
  async run(change: Change): Promise<ChangeResponse> {
    const { checks, id } = change;
    const keys = checks.map((check) => this.#keys.state(check));
    const [first] = checks;
    if (first && id !== undefined) keys.push(this.#keys.id(first, 'change', id));
    const answer = await this.#scripts.of(algorithmMaskOf(checks)).run(keys, adjustArguments(change));
    return new Replies(answer).change(checks);
  }
}

import { afterEach, describe } from '@jest/globals';
import type { StartAdapter } from '@sluice/conformance';
import { App, type Start } from './app.js';

/** Describes tests of a host's applications, and closes each application that a test starts. */
export function withApps(name: string, start: StartAdapter, body: (start: Start) => void): void {
  describe(name, () => {
    const apps: App[] = [];
    afterEach(async () => {
      await Promise.all(apps.splice(0).map((app) => app.close()));
    });
    body(async (policies, handle) => {
      const app = new App();
      apps.push(app);
      await app.serve(start, policies, handle);
      return app;
    });
  });
}

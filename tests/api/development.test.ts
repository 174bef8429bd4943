import { expect, it, onTestFinished } from 'vitest';
import { startTestServer } from '#tests/support/server/test-server.ts';

it('in development, pages are served from their sources, with live reload', async () => {
  const server = await startTestServer({ NODE_ENV: 'development' });
  onTestFinished(() => server.close());
  const response = await fetch(`${server.consoleUrl}/login`);
  const page = await response.text();
  expect(response.status).toBe(200);
  expect(page).toContain('Portage');
  expect(page).toContain('/@id/virtual:tanstack-start-dev-client-entry');
});

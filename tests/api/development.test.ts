import { expect, it, onTestFinished } from 'vitest';
import { startTestServer } from '#tests/support/server/test-server.ts';

it('in development, pages are served from their sources, with live reload', async () => {
  const server = await startTestServer({ NODE_ENV: 'development' });
  onTestFinished(() => server.close());
  const answer = await fetch(`${server.consoleUrl}/login`);
  const page = await answer.text();
  expect(answer.status).toBe(200);
  expect(page).toContain('Portage');
  expect(page).toContain('/@id/virtual:tanstack-start-dev-client-entry');
});

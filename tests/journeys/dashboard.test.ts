import { expect, it } from 'vitest';
import { furnishWorkspace } from '#tests/support/browser/furnish-workspace.ts';
import { arrive, startJourney } from '#tests/support/browser/journey.ts';

const journey = startJourney();

it('the dashboard counts what is hosted, and tells of recent deploys what they were about and what became of them', async () => {
  const world = await furnishWorkspace(journey().server, 'Haven');
  const { page, api } = await journey().visitSignedIn({ person: world.person });
  const opened = await api('POST', `/api/v1/sites/${world.quietId}/versions`, {
    json: { message: 'Opening night', files: { 'index.html': { sha256: 'a'.repeat(64), size: 1 } } },
  });
  expect(opened.status).toBe(201);
  await arrive(page, `/${world.organizationId}`);
  const main = page.getByRole('main');
  await main.getByText('3 sites, 1 live').waitFor();
  await main.getByText('1 hostname, 0 with a certificate').waitFor();
  const deploys = main
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: 'Recent deploys' }) })
    .getByRole('listitem');
  const words = (await deploys.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
  expect(words).toHaveLength(4);
  expect(words[0]).toMatch(/Quiet haven uploading Opening night by \S+/);
  expect(words[1]).toMatch(/Haven reverted/);
  expect(words[2]).toMatch(/Haven current/);
  expect(words[3]).toMatch(/Haven replaced/);
  await deploys.nth(2).getByRole('link', { name: 'Haven', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: /^Haven/ }).waitFor();
});

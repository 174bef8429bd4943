import { describe, expect, it } from 'vitest';
import {
  arrive,
  expectAccessible,
  expectFitsPhone,
  PHONE,
  startJourney,
} from '#tests/support/browser/journey.ts';

const journey = startJourney();

describe('repositories that deploy without a secret', () => {
  it('are added and removed on the site’s page, and the workflow file needs no key', async () => {
    const { page, organizationId, api } = await journey().visitSignedIn({ viewport: PHONE });
    const { id } = JSON.parse((await api('POST', '/api/v1/sites', { json: { name: 'from ci' } })).text);
    await arrive(page, `/${organizationId}/sites/${id}`);
    const card = page.locator('section', { has: page.getByRole('heading', { name: 'Deploy from CI' }) });
    await card.getByRole('button', { name: 'Add a repository' }).click();
    const form = page.getByRole('form', { name: 'Add a repository' });
    await form.getByLabel('Repository').fill('rivers');
    await form.getByRole('button', { name: 'Add repository' }).click();
    await form.getByText('Enter owner/name').waitFor();
    await expectAccessible(page);
    await form.getByLabel('Repository').fill('rivers/site');
    await form.getByLabel('Its runs publish versions').uncheck();
    await form.getByRole('button', { name: 'Add repository' }).click();
    await card.getByText('GitHub · branch main · previews only').waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    await card.getByRole('button', { name: 'Remove rivers/site, main' }).click();
    await page.getByRole('button', { name: 'Remove repository' }).click();
    await card.getByText('rivers/site').waitFor({ state: 'detached' });

    await arrive(page, `/${organizationId}/sites/${id}?deploy=true`);
    await page.getByLabel('Without a stored secret').check();
    const file = page.getByRole('region', { name: 'Copy the workflow file' });
    await file.getByText('id-token: write').waitFor();
    expect(await file.textContent()).not.toContain('SECRET_KEY');
  });
});

import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '#server/durations.ts';
import { findViolations } from '#tests/support/browser/axe.ts';
import { arrive, hasFocus, PHONE, startJourney } from '#tests/support/browser/journey.ts';
import { requireStatus } from '#tests/support/client/deploy-client.ts';
import { listOf, objectOf } from '#tests/support/client/rest-client.ts';
import { runCli } from '#tests/support/server/run-cli.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';

const journey = startJourney();
/** The command line's exit code for a rejected credential. */
const EXIT_AUTHENTICATION = 3;

/** Signs in a person with two sites, on the credentials page. */
async function visitCredentials() {
  const visitor = await journey().visitSignedIn();
  const siteIds: string[] = [];
  // Addresses are shared by everyone on the server, names are not.
  const mark = visitor.organizationId.slice(-8);
  for (const name of [`Blog ${mark}`, `Shop ${mark}`]) {
    siteIds.push(String(objectOf(await visitor.api('POST', '/api/v1/sites', { json: { name } })).id));
  }
  await arrive(visitor.page, `/${visitor.organizationId}/credentials`);
  return { ...visitor, siteIds, blog: `Blog ${mark}`, shop: `Shop ${mark}` };
}

const copied = (page: Page) => page.getByText('Copied', { exact: true });

describe('an API credential', () => {
  it('is created, shown once, deploys with the command line, and is rejected once deleted', async () => {
    const { page, api, siteIds, blog, shop } = await visitCredentials();
    await page.getByRole('heading', { name: 'No credentials yet' }).waitFor();
    await page.getByRole('button', { name: 'Create credential' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create credential' });
    await dialog.getByText('No resource is selected: the credential will have no access.').waitFor();
    await dialog.getByLabel('Name').fill('Website deploys');
    await dialog.getByLabel('Description').fill('On every push');
    await dialog.getByRole('checkbox', { name: blog }).check();
    await dialog.getByText('1 selected').waitFor();
    expect(await dialog.getByText(/will have no access/).count()).toBe(0);
    await dialog.getByRole('combobox', { name: 'Expiration' }).click();
    await page.getByRole('option', { name: '90 days' }).click();
    await dialog.getByRole('button', { name: 'Create credential' }).click();
    await dialog.waitFor({ state: 'hidden' });

    const banner = page.getByRole('status').filter({ hasText: 'The credential Website deploys is ready' });
    await expect.poll(() => hasFocus(banner)).toBe(true);
    const publicKey = await banner.getByRole('region', { name: 'Copy public key' }).innerText();
    const secretKey = await banner.getByRole('region', { name: 'Copy secret key' }).innerText();
    expect(publicKey).toMatch(/^ptgpk_/);
    expect(secretKey).toMatch(/^ptgsk_/);
    await banner.getByRole('button', { name: 'Copy secret key' }).click();
    await copied(page).first().waitFor({ state: 'attached' });
    await page.getByRole('tooltip', { name: 'Copied' }).waitFor();
    expect(await findViolations(page, { type: 'rule', values: ['region'] })).toEqual([]);
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secretKey);
    await expect.poll(() => copied(page).count(), { timeout: 20_000 }).toBe(0);
    await banner.getByRole('button', { name: 'Dismiss' }).click();
    await banner.waitFor({ state: 'hidden' });
    expect(await page.content()).not.toContain(secretKey);

    const card = page.getByRole('article', { name: 'Website deploys' });
    await card.getByText('On every push').waitFor();
    await card.getByText(publicKey).waitFor();
    expect(await card.getByRole('list', { name: 'Scopes' }).innerText()).toMatch(
      new RegExp(`site\\s*${blog}`),
    );
    const [stored] = listOf(await api('GET', '/api/v1/credentials'));
    const expiresAt = Date.parse(String(stored?.expires_at));
    expect(Math.abs(expiresAt - Date.now() - 90 * DAY_MS)).toBeLessThan(DAY_MS);
    const expiryDate = await page.evaluate(
      (instant) => new Intl.DateTimeFormat('en-CA', { dateStyle: 'medium', timeZone: 'UTC' }).format(instant),
      expiresAt,
    );
    const factsOf = () => card.getByRole('term').locator('xpath=..').allInnerTexts();
    const facts = async () => (await factsOf()).map((fact) => fact.replace(/\s+/g, ' '));
    expect(await facts()).toEqual([
      expect.stringMatching(/^Created /),
      'Last used Never',
      `Expires ${expiryDate}`,
      expect.stringMatching(/^Public key ptgpk_/),
    ]);

    const folder = await makeTemporaryFolder({ 'index.html': '<h1>By command line</h1>' });
    const environment = {
      PORTAGE_URL: journey().server.consoleUrl,
      PORTAGE_PUBLIC_KEY: publicKey,
      PORTAGE_SECRET_KEY: secretKey,
    };
    const deployTo = (site: string) => runCli(['deploy', folder, '--site', site, '--json'], environment);
    const [blogId = '', shopId = ''] = siteIds;
    const deployed = await deployTo(blogId);
    expect(deployed).toMatchObject({ code: 0 });
    const host = new URL(JSON.parse(deployed.stdout).report.live_url).hostname;
    expect((await journey().server.edge(host, '/')).text).toBe('<h1>By command line</h1>');
    expect((await deployTo(shopId)).code).not.toBe(0);
    await page.reload();
    await expect.poll(async () => (await facts())[1]).not.toBe('Last used Never');

    await arrive(page, page.url());
    await card.getByRole('button', { name: 'Edit scopes of Website deploys' }).click();
    const editor = page.getByRole('dialog', { name: 'Edit scopes' });
    await editor.getByText(publicKey).waitFor();
    const first = editor.getByRole('checkbox').first();
    await expect.poll(() => first.evaluate((field) => field === document.activeElement)).toBe(true);
    await editor.getByRole('checkbox', { name: blog }).uncheck();
    await editor.getByText('No resource is selected: the credential will have no access.').waitFor();
    await editor.getByRole('checkbox', { name: shop }).check();
    await editor.getByRole('button', { name: 'Save scopes' }).click();
    await page.getByText('The scopes of Website deploys were saved').waitFor();
    await expect
      .poll(() => card.getByRole('list', { name: 'Scopes' }).innerText())
      .toMatch(new RegExp(`site ${shop}`));
    expect((await deployTo(blogId)).code).not.toBe(0);
    expect((await deployTo(shopId)).code).toBe(0);

    await card.getByRole('button', { name: 'Delete Website deploys' }).click();
    const question = page.getByRole('dialog', { name: 'Delete Website deploys?' });
    await question.getByText('Are you sure you want to delete this credential?', { exact: false }).waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'hidden' });
    expect(await card.count()).toBe(1);
    await card.getByRole('button', { name: 'Delete Website deploys' }).click();
    await question.getByRole('button', { name: 'Delete credential' }).click();
    await page.getByText('The credential Website deploys was deleted').waitFor();
    await page.getByRole('heading', { name: 'No credentials yet' }).waitFor();
    const refused = await deployTo(shopId);
    expect(refused.code).toBe(EXIT_AUTHENTICATION);
  });

  it('is found among many by what it is called and what it reaches', async () => {
    const { page, api, siteIds, blog } = await visitCredentials();
    const scopes = [{ resource_type: 'site', resource_id: siteIds[0], permissions: ['read'] }];
    for (let count = 0; count < 30; count += 1) {
      // No public key contains this word by chance.
      const name = count === 29 ? 'Sauvegarde à Québec' : `Déploiement ${count}`;
      const json = { name, scopes: count === 3 ? scopes : [] };
      requireStatus(await api('POST', '/api/v1/credentials', { json }), 201);
    }
    await arrive(page, page.url());
    const cards = page.getByRole('article');
    expect(await cards.count()).toBe(25);
    await cards.last().scrollIntoViewIfNeeded();
    await expect.poll(() => cards.count()).toBe(30);
    const search = page.getByRole('searchbox', { name: 'Search credentials' });
    await search.fill('sauvegarde quebec');
    await expect.poll(() => cards.allInnerTexts()).toEqual([expect.stringContaining('Sauvegarde à Québec')]);
    await search.fill(blog);
    await expect.poll(() => cards.allInnerTexts()).toEqual([expect.stringContaining('Déploiement 3')]);
    await page.getByRole('button', { name: 'Edit scopes of Déploiement 3' }).click();
    const editor = page.getByRole('dialog', { name: 'Edit scopes' });
    expect(await editor.getByRole('checkbox', { name: blog }).isChecked()).toBe(true);
    await page.keyboard.press('Escape');
    await editor.waitFor({ state: 'hidden' });
    expect(await cards.count()).toBe(1);
    await search.fill('nothing');
    await page.getByText('No credential matches “nothing”.').waitFor();
    await arrive(page, page.url());
    // Nothing says meanwhile that there are none, and the field keeps the focus.
    await page.route('**/api/trpc/credentials.page*', async (route) => {
      await page.waitForTimeout(300);
      await route.continue();
    });
    const asked = page.waitForRequest('**/api/trpc/credentials.page*');
    await search.fill('');
    await asked;
    expect(await page.getByRole('heading', { name: 'No credentials yet' }).count()).toBe(0);
    await expect.poll(() => cards.count()).toBe(25);
    expect(await hasFocus(search)).toBe(true);
  });

  it('needs a name, and may have no access at all', async () => {
    const { page } = await visitCredentials();
    await page.getByRole('button', { name: 'Create credential' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create credential' });
    const create = dialog.getByRole('button', { name: 'Create credential' });
    expect(await create.isDisabled()).toBe(true);
    await dialog.getByLabel('Name').fill('   ');
    await dialog.getByLabel('Description').focus();
    await dialog.getByText('Please enter a name for the credential').waitFor();
    expect(await create.isDisabled()).toBe(true);
    await dialog.getByLabel('Name').fill('Read nothing');
    await create.click();
    const card = page.getByRole('article', { name: 'Read nothing' });
    await card.getByText('No access: no resource is selected.').waitFor();
    expect(await card.getByText('Expires').locator('xpath=..').innerText()).toMatch(/Never$/);
  });
});

it('a question about a long name shows it whole on a phone', async () => {
  const { page, organizationId, api } = await journey().visitSignedIn({ viewport: PHONE });
  const name = 'W'.repeat(100);
  await api('POST', '/api/v1/credentials', { json: { name, scopes: [] } });
  await arrive(page, `/${organizationId}/credentials`);
  await page.getByRole('button', { name: `Delete ${name}` }).click();
  const dialog = page.getByRole('dialog', { name: `Delete ${name}?` });
  await dialog.waitFor();
  const excess = () => dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  await expect.poll(excess).toBeLessThanOrEqual(0);
});

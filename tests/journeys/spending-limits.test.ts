import { describe, expect, it } from 'vitest';
import { setUpServerBilling } from '#tests/support/billing/server-billing.ts';
import {
  arrive,
  expectAccessible,
  expectFitsPhone,
  startOwnJourney,
} from '#tests/support/browser/journey.ts';
import { addEndpoint, visitWithSite } from '#tests/support/browser/visit-cdn.ts';
import { requireStatus } from '#tests/support/client/deploy-client.ts';
import { packZip } from '#tests/support/pack-zip.ts';
import { pollUntil } from '#tests/support/poll-until.ts';

const journey = startOwnJourney({ BILLING_MODE: 'sandbox', STORAGE_PRICE_CENTS_PER_GB_MONTH: '2.3' });

/** Signs in a person with a live site, and an endpoint in front of it. */
async function visitLimits(locale: 'en-CA' | 'fr-CA') {
  const person = await journey().visitSignedIn({ locale });
  await setUpServerBilling(journey().server, person.organizationId);
  const visitor = await visitWithSite(journey(), { person: person.person, locale });
  const body = packZip({ 'index.html': '<h1>Harbour</h1>' });
  const headers = { 'content-type': 'application/zip' };
  const versions = `/api/v1/sites/${visitor.siteId}/versions`;
  requireStatus(await visitor.api('POST', versions, { body, headers }), 201);
  const hostname = `www-${visitor.mark}.localhost`;
  await addEndpoint(visitor, { hostname, site_id: visitor.siteId });
  const statusAtEdge = async () =>
    (await journey().server.edge(`harbour${visitor.mark}.sites.localhost`, '/')).status;
  return { ...visitor, hostname, statusAtEdge };
}

const WORDS = {
  'en-CA': {
    card: 'Spending limits',
    set: 'Set a limit',
    site: 'Site',
    search: 'Site',
    amount: 'Limit for a month (CAD)',
    stop: 'Stop serving',
    stopsNow: 'with this limit, serving stops within a minute.',
    stored: 'only what is stored is billed, as long as it is stored.',
    uncut: 'nothing beyond the limit is billed.',
    notice: /^A notice in the console\./,
    submit: 'Set limit',
    missing: 'Choose a site.',
    invalid: 'Enter an amount of up to a million dollars.',
    stopped: 'Stopped',
    banner: 'Stopped by a spending limit',
    change: 'Change',
    save: 'Save limit',
    remove: 'Remove',
    removeLimit: 'Remove limit',
    none: 'No limit is set.',
    spent: '$3.00 of $2.00',
  },
  'fr-CA': {
    card: 'Plafonds de dépenses',
    set: 'Fixer un plafond',
    site: 'Site',
    search: 'Site',
    amount: 'Plafond par mois (CAD)',
    stop: 'Interrompre la diffusion',
    stopsNow: 'avec ce plafond, la diffusion s’interrompt en moins d’une minute.',
    stored: 'seules les données stockées sont facturées, tant qu’elles le restent.',
    uncut: 'rien au-delà du plafond n’est facturé.',
    notice: /^Un avis dans la console\./,
    submit: 'Fixer le plafond',
    missing: 'Choisissez un site.',
    invalid: 'Entrez un montant d’au plus un million de dollars.',
    stopped: 'Arrêté',
    banner: 'Arrêt par un plafond de dépenses',
    change: 'Modifier',
    save: 'Enregistrer le plafond',
    remove: 'Retirer',
    removeLimit: 'Retirer le plafond',
    none: 'Aucun plafond n’est fixé.',
    spent: '3,00 $ sur 2,00 $',
  },
} as const;

describe('a spending limit', () => {
  it.each(['en-CA', 'fr-CA'] as const)('is set, reached, raised and removed, in %s', async (locale) => {
    const words = WORDS[locale];
    const { page, organizationId, site, hostname, statusAtEdge } = await visitLimits(locale);
    expect(await pollUntil(statusAtEdge, (status) => status === 200)).toBe(200);
    await arrive(page, `/${organizationId}/billing`);
    await page.getByText(words.none, { exact: false }).waitFor();
    await page.getByRole('button', { name: words.set, exact: true }).click();
    await page.getByLabel(words.amount).fill('2');
    await page.getByRole('status').getByText(words.stopsNow).waitFor();
    await page.getByRole('button', { name: words.stop, exact: true }).waitFor();
    await page.evaluate(() => navigator.clipboard.writeText('1 234,50 $'));
    await page.getByLabel(words.amount).selectText();
    await page.keyboard.press('Control+V');
    await expect
      .poll(() => page.getByLabel(words.amount).inputValue())
      .toMatch(/^(\$1,234\.50|1\s234,50\s\$)$/);
    await page.getByLabel(words.amount).fill('');
    // This installation sends no email.
    await page.getByRole('dialog').getByText(words.notice).waitFor();
    const panel = page.getByRole('dialog');
    // The limit of an organization covers what its buckets store, at a price.
    await panel.getByText(words.stored).waitFor();
    await panel.getByText(words.site, { exact: true }).first().click();
    await panel.getByText(words.uncut).waitFor();
    await panel.getByRole('button', { name: words.submit }).click();
    await panel.getByText(words.missing).waitFor();
    await panel.getByText(words.invalid).waitFor();
    if (locale === 'en-CA') await expectAccessible(page);
    await panel
      .getByRole('combobox', { name: words.search })
      .or(panel.getByRole('textbox', { name: words.search }))
      .first()
      .click();
    await panel.getByRole('option', { name: site }).click();
    await panel.getByLabel(words.amount).fill('2');
    expect(await panel.getByRole('radio', { name: words.stop }).isChecked()).toBe(true);
    await panel.getByRole('button', { name: words.submit }).click();
    await panel.waitFor({ state: 'hidden' });

    // The site itself costs three dollars: its limit is reached as soon as it is set.
    const row = page.getByRole('listitem').filter({ hasText: site });
    await row.getByText(words.stopped, { exact: true }).waitFor();
    await expect.poll(async () => (await row.innerText()).replaceAll('\u00a0', ' ')).toContain(words.spent);
    await page.getByRole('status').filter({ hasText: words.banner }).waitFor();
    if (locale === 'en-CA') await expectAccessible(page);
    await expectFitsPhone(page);
    expect(await pollUntil(statusAtEdge, (status) => status === 503)).toBe(503);
    await arrive(page, `/${organizationId}/sites`);
    await page.getByRole('row').filter({ hasText: site }).getByText(words.stopped, { exact: true }).waitFor();
    await arrive(page, `/${organizationId}/cdn`);
    const endpoint = page.getByRole('row').filter({ hasText: hostname });
    await endpoint.getByText(words.stopped, { exact: true }).waitFor();
    if (locale === 'en-CA') await expectAccessible(page);

    await page.getByRole('status').filter({ hasText: words.banner }).getByRole('link').click();
    await row.getByRole('button', { name: new RegExp(words.change) }).click();
    await panel.getByLabel(words.amount).fill('50');
    await panel.getByRole('button', { name: words.save }).click();
    await row.getByText(words.stopped, { exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('status').filter({ hasText: words.banner }).waitFor({ state: 'detached' });
    expect(await pollUntil(statusAtEdge, (status) => status === 200)).toBe(200);

    await row.getByRole('button', { name: new RegExp(words.remove) }).click();
    await page.getByRole('dialog').getByRole('button', { name: words.removeLimit }).click();
    await page.getByText(words.none, { exact: false }).waitFor();
  });
});

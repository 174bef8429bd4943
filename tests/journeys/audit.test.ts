import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright';
import { expect, it } from 'vitest';
import { DAY_MS } from '#server/durations.ts';
import {
  arrive,
  expectAccessible,
  expectFits,
  expectFitsPhone,
  hasFocus,
  hideServerReturn,
  startJourney,
} from '#tests/support/browser/journey.ts';
import { objectOf } from '#tests/support/client/rest-client.ts';
import { insertAuditEvents, insertOrganization } from '#tests/support/server/server-database.ts';

const journey = startJourney();

const PHONE = { width: 390, height: 844 };
const LIST_CALLS = '**/api/trpc/audit.list*';

const rowsOf = (page: Page, name = 'Events') => page.getByRole('list', { name, exact: true }).locator('> li');

it('the audit log shows in sentences who did what; it can be filtered by address, opened and saved', async () => {
  const visitor = await journey().visitSignedIn({ full_name: 'Ada Martin' });
  const { page, organizationId, api, person } = visitor;
  const kept = objectOf(await api('POST', '/api/v1/sites', { json: { name: 'breakwater' } }));
  const site = objectOf(await api('POST', '/api/v1/sites', { json: { name: 'beacon' } }));
  await api('PATCH', `/api/v1/sites/${String(site.id)}`, { json: { keep_versions: 5 } });
  await arrive(page, `/${organizationId}`);
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Search and commands' });
  await palette.getByRole('combobox').fill('audit');
  await palette.getByText('Audit log', { exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
  await expect.poll(() => page.title()).toMatch(/^Audit log · /);
  await page.getByText('Ada Martin created the site breakwater.').waitFor();
  expect(await rowsOf(page).first().innerText()).toContain(
    'Ada Martin changed the settings of the site beacon.',
  );
  const link = page.getByRole('link', { name: 'breakwater', exact: true });
  expect(await link.getAttribute('href')).toBe(`/${organizationId}/sites/${String(kept.id)}`);

  // Opened, it shows what changed and from where, and links to similar events.
  await rowsOf(page).first().getByText('Details').click();
  await page.getByRole('row', { name: /^keep_versions .* 5$/ }).waitFor();
  await rowsOf(page).first().getByText('127.0.0.1', { exact: true }).waitFor();
  await expectAccessible(page);
  await expectFitsPhone(page);
  await page.getByRole('link', { name: 'Everything about this resource' }).click();
  await page.getByText('Only about beacon').waitFor();
  await expect.poll(() => rowsOf(page).count()).toBe(2);
  expect(new URL(page.url()).searchParams.get('resource_id')).toBe(String(site.id));
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^audit-.*\.csv$/);
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
  expect(lines.slice(1).map((line) => /site\.\w+/.exec(line)?.[0])).toEqual(['site.update', 'site.create']);

  await page.getByRole('link', { name: 'Show all events' }).click();
  await expect.poll(() => rowsOf(page).count()).toBeGreaterThan(2);
  await page.getByLabel('What', { exact: true }).selectOption('Certificates');
  await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
  expect(new URL(page.url()).search).toBe('?subject=certificate');
  await page.reload();
  await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
  expect(await page.getByLabel('What', { exact: true }).inputValue()).toBe('certificate');

  const french = await journey().visitSignedIn({ person, locale: 'fr-CA', viewport: PHONE });
  await arrive(french.page, `/${organizationId}/audit`);
  await french.page.getByRole('heading', { level: 1, name: 'Journal d’audit' }).waitFor();
  await french.page.getByText('Ada Martin a modifié les paramètres du site beacon.').waitFor();
  const row = rowsOf(french.page, 'Événements').first();
  await row.getByText('Détails').click();
  await row.getByText('Tout sur cette ressource').waitFor();
  await expectFits(french.page, PHONE);
});

it('the audit log is loaded page by page, and hides addresses from members', async () => {
  const { page, person } = await journey().visitSignedIn();
  const { email } = person.account;
  const read = { name: 'Rivers', email, permission: 'read' as const };
  const organizationId = await insertOrganization(journey().server, read);
  const path = `/${organizationId}/audit`;
  await arrive(page, path);
  await page.getByRole('heading', { name: 'Nothing has happened yet' }).waitFor();
  await expectAccessible(page);

  const many = Array.from({ length: 118 }, () => ({ action: 'organization.update' }));
  const invited = {
    action: 'invitation.create',
    address: '198.51.100.77',
    after: { email: 'zoe@example.ca' },
  };
  await insertAuditEvents(journey().server, organizationId, [...many, { action: 'tide.turn' }, invited]);
  await arrive(page, path);
  await page.getByText('Élodie Roy created an invitation.').waitFor();
  await page.getByText('Élodie Roy changed somebody (tide.turn).').waitFor();
  await rowsOf(page).first().getByText('Details').click();
  await page.getByText('invitation.create', { exact: true }).waitFor();
  expect(await page.content()).not.toMatch(/198\.51\.100|zoe@/);
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 20_000);
      return rowsOf(page).count();
    })
    .toBe(120);
});

it('the audit log can be limited to days, and says when it cannot be loaded, until it can', async () => {
  const { page, person } = await journey().visitSignedIn();
  const owner = { name: 'Lakes', email: person.account.email, permission: 'owner' as const };
  const organizationId = await insertOrganization(journey().server, owner);
  const noonOf = (daysAgo: number) => Math.floor(Date.now() / DAY_MS - daysAgo) * DAY_MS + DAY_MS / 2;
  const dayOf = (daysAgo: number) => new Date(noonOf(daysAgo)).toISOString().slice(0, 10);
  await insertAuditEvents(journey().server, organizationId, [
    { action: 'member.add', at: noonOf(9) },
    { action: 'member.update', at: noonOf(5) },
    { action: 'member.remove', at: noonOf(1) },
  ]);
  await arrive(page, `/${organizationId}/audit`);
  await expect.poll(() => rowsOf(page).count()).toBe(3);
  await hideServerReturn(page);
  await page.route(LIST_CALLS, (route) => route.abort());
  await page.getByRole('textbox', { name: 'First day' }).fill(dayOf(6));
  const retry = page.getByRole('button', { name: 'Retry' });
  await retry.waitFor();
  expect(await page.getByRole('heading', { name: /^Nothing/ }).count()).toBe(0);
  await expectAccessible(page);
  await page.unroute(LIST_CALLS);
  await retry.click();
  await expect.poll(() => rowsOf(page).count()).toBe(2);
  expect(await page.getByRole('textbox', { name: 'First day' }).inputValue()).toBe(dayOf(6));
  await page.getByRole('textbox', { name: 'Last day' }).fill(dayOf(5));
  await expect.poll(() => rowsOf(page).count()).toBe(1);
  await rowsOf(page).first().getByText('Details').click();
  await page.getByText('member.update', { exact: true }).waitFor();
  expect(new URL(page.url()).search).toBe(`?start_date=${dayOf(6)}&end_date=${dayOf(5)}`);
  await page.getByRole('textbox', { name: 'First day' }).fill(dayOf(4));
  await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
  await page.getByRole('link', { name: 'Show all events' }).first().click();
  await expect.poll(() => rowsOf(page).count()).toBe(3);
  expect(await page.getByRole('textbox', { name: 'First day' }).inputValue()).toBe('');
});

it('a day is chosen from a calendar in the language of the reader, without a mouse, or typed without its zeros', async () => {
  const { page, organizationId } = await journey().visitSignedIn({ locale: 'fr-CA' });
  await arrive(page, `/${organizationId}/audit?start_date=2026-03-01`);
  const first = page.getByRole('textbox', { name: 'Premier jour' });
  expect(await first.inputValue()).toBe('2026-03-01');
  expect(await page.getByRole('textbox', { name: 'Dernier jour' }).getAttribute('placeholder')).toBe(
    'aaaa-mm-jj',
  );
  const opener = page.getByRole('button', { name: 'Choisir dans un calendrier : Premier jour' });
  await opener.focus();
  await page.keyboard.press('Enter');
  const calendar = page.getByRole('dialog', { name: 'Premier jour' });
  await calendar.getByText('mars 2026').waitFor();
  await expect
    .poll(() => hasFocus(calendar.getByRole('button', { name: 'dimanche 1er mars 2026' })))
    .toBe(true);
  await expectAccessible(page);
  await expectFitsPhone(page);
  await page.keyboard.press('ArrowLeft');
  await calendar.getByText('février 2026').waitFor();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expect.poll(() => first.inputValue()).toBe('2026-02-21');
  await calendar.waitFor({ state: 'hidden' });
  expect(new URL(page.url()).search).toBe('?start_date=2026-02-21');
  await first.fill('2026-2-3');
  await first.press('Tab');
  await expect.poll(() => new URL(page.url()).search).toBe('?start_date=2026-02-03');
  await first.fill('hier');
  await first.press('Tab');
  expect(await first.inputValue()).toBe('2026-02-03');
});

import type { Page } from 'playwright';
import { expect, it } from 'vitest';
import {
  arrive,
  expectAccessible,
  expectFitsPhone,
  startOwnJourney,
} from '#tests/support/browser/journey.ts';
import { objectOf } from '#tests/support/client/rest-client.ts';
import { runOperator } from '#tests/support/server/run-operator.ts';
import { insertEndpoint } from '#tests/support/server/server-database.ts';

const journey = startOwnJourney({ ROLES: 'console' });

const rowOf = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text });

it('an operator finds what is wrong, suspends an organization and blocks a person', async () => {
  const { visitSignedIn, server } = journey();
  const other = await visitSignedIn({ full_name: 'Grace Hopper' });
  const { page, person } = await visitSignedIn({ full_name: 'Ada Martin' });

  // No one sees it before the command line allows it.
  await arrive(page, '/operator');
  await page.getByRole('heading', { name: 'Page Not Found' }).waitFor();
  const operator = (...line: string[]) => runOperator(line, server.environment);
  expect(await operator('people', 'operator', person.account.login, 'manage')).toMatchObject({ code: 0 });
  await arrive(page, '/');
  await page.getByRole('button', { name: 'User menu' }).click();
  await page.getByRole('menuitem', { name: 'Operation' }).click();
  await page.getByText('Nothing is stuck.').waitFor();
  await page.getByText('Every certificate is fine.').waitFor();
  const needs = page.getByRole('list', { name: 'Dependencies' }).getByRole('listitem');
  await expect
    .poll(() => needs.allInnerTexts())
    .toContainEqual(expect.stringMatching(/Database\s+Responding/));
  await page.getByText('Server errors').waitFor();
  await expectAccessible(page);
  await expectFitsPhone(page);
  const { id: siteId } = objectOf(await other.api('POST', '/api/v1/sites', { json: { name: 'Grace' } }));
  await insertEndpoint(server, {
    organizationId: other.organizationId,
    siteId: String(siteId),
    hostname: 'www.grace.example',
    bundle: { failure_code: 'authority_unavailable', failed_at: Date.now() },
  });
  await page.reload();
  const failing = page.getByRole('list', { name: 'Certificates with problems' });
  await failing.getByText('The certificate authority is not responding.').waitFor();
  await page.getByRole('tab', { name: 'Abuse' }).click();
  await page.getByText('No report is open.').waitFor();

  await page.getByRole('tab', { name: 'Organizations' }).click();
  await page.getByRole('searchbox', { name: 'Search organizations' }).fill(other.person.account.login);
  await expect.poll(() => page.getByRole('listitem').count()).toBe(1);
  await page.getByRole('button', { name: 'Show Grace Hopper' }).click();
  const panel = page.getByRole('dialog', { name: 'Grace Hopper' });
  await panel.getByRole('textbox', { name: 'Sites', exact: true }).fill('7');
  await panel.getByRole('button', { name: 'Save limits' }).click();
  await panel.getByText('1 of 7').waitFor();
  await panel.getByRole('button', { name: 'Suspend' }).click();
  const question = page.getByRole('dialog', { name: 'Suspend Grace Hopper?' });
  await question.getByRole('textbox', { name: 'Reason' }).fill('Invoice 2026-03 is unpaid');
  await question.getByRole('button', { name: 'Suspend' }).click();
  await panel.getByText(/Suspended .*: Invoice 2026-03 is unpaid/).waitFor();
  await expectAccessible(page);
  await arrive(other.page, `/${other.organizationId}`);
  await other.page.getByText('Invoice 2026-03 is unpaid').waitFor();
  await panel.getByRole('button', { name: 'End the suspension' }).click();
  await panel.getByRole('button', { name: 'Suspend' }).waitFor();
  await page.keyboard.press('Escape');

  await page.getByRole('tab', { name: 'People' }).click();
  await page.getByRole('button', { name: 'Block Grace Hopper' }).click();
  const block = page.getByRole('dialog', { name: 'Block Grace Hopper?' });
  await block.getByRole('textbox', { name: 'Reason' }).fill('left');
  await block.getByRole('button', { name: 'Block' }).click();
  await rowOf(page, 'Grace Hopper').getByText('Blocked', { exact: true }).waitFor();
  await expectAccessible(page);
  await expectFitsPhone(page);
  await other.page.goto(`${server.consoleUrl}/${other.organizationId}`);
  await other.page.waitForURL(/\/login/);
  await page.getByRole('button', { name: 'Unblock Grace Hopper' }).click();
  await page.getByRole('button', { name: 'Block Grace Hopper' }).waitFor();

  // What no one else owns must be decided.
  const mary = await visitSignedIn({ full_name: 'Mary Jackson' });
  await mary.api('POST', '/api/v1/organizations', { json: { name: 'Orphans', handle: 'orphans' } });
  await mary.api('POST', '/api/v1/sites', { json: { name: 'Left behind' } });
  await page.getByRole('searchbox', { name: 'Search people' }).fill(mary.person.account.login);
  await page.getByRole('button', { name: 'Delete Mary Jackson' }).click();
  const removal = page.getByRole('dialog', { name: 'Delete Mary Jackson?' });
  await removal.getByText('Orphans').waitFor();
  await expectAccessible(page);
  await removal.getByLabel('Transfer them to').fill(person.account.login);
  await removal.getByRole('textbox', { name: /^Type/ }).fill(mary.person.account.login);
  await removal.getByRole('button', { name: 'Delete person' }).click();
  await removal.getByRole('alert').waitFor();
  await removal.getByRole('checkbox').check();
  await removal.getByRole('button', { name: 'Delete person' }).click();
  await page.getByText('Mary Jackson was deleted').waitFor();
  await page.getByText('Nothing matches.').waitFor();
});

it('a person reports a page, and an operator takes its site offline', async () => {
  const { visit, visitSignedIn, server } = journey();
  const owner = await visitSignedIn({ full_name: 'Grace Hopper' });
  const site = await owner.api('POST', '/api/v1/sites', { json: { name: 'Bank of Rivers' } });
  const { id, subdomain_url } = JSON.parse(site.text);

  const stranger = await visit();
  await arrive(stranger.page, '/report-abuse');
  await expectAccessible(stranger.page);
  await expectFitsPhone(stranger.page);
  await stranger.page.getByRole('button', { name: 'Send the report' }).click();
  await stranger.page.getByText('Enter the address of a page, like https://example.ca/page').waitFor();
  await stranger.page.getByRole('textbox', { name: 'Address of the page' }).fill(`${subdomain_url}/login`);
  await stranger.page.getByRole('combobox', { name: 'What is wrong?' }).selectOption('Phishing or fraud');
  await stranger.page
    .getByRole('textbox', { name: 'Description' })
    .fill('It asks for card numbers. '.repeat(30));
  await stranger.page.getByRole('button', { name: 'Send the report' }).click();
  await stranger.page.getByRole('heading', { name: 'Thank you' }).waitFor();
  await expectAccessible(stranger.page);

  const { page, person } = await visitSignedIn({ full_name: 'Ada Martin' });
  const made = await runOperator(['people', 'operator', person.account.login, 'manage'], server.environment);
  expect(made).toMatchObject({ code: 0 });
  await arrive(page, '/operator');
  await page.getByRole('tab', { name: 'Abuse' }).click();
  const report = rowOf(page, '/login');
  await report.getByText('It asks for card numbers.').waitFor();
  await expectAccessible(page);
  await expectFitsPhone(page);
  await report.getByRole('button', { name: 'Show more' }).click();
  await report.getByRole('button', { name: 'Show less' }).waitFor();
  await report.getByRole('button', { name: 'Suspend site Bank of Rivers' }).click();
  const question = page.getByRole('dialog', { name: 'Suspend Bank of Rivers?' });
  await question.getByRole('textbox', { name: 'Reason' }).fill('Phishing');
  await question.getByRole('button', { name: 'Suspend' }).click();
  await page.getByText('No report is open.').waitFor();
  await page.getByRole('combobox', { name: 'State' }).selectOption('Closed');
  await report.getByText('Suspended', { exact: true }).waitFor();

  await arrive(owner.page, `/${owner.organizationId}/sites/${id}`);
  await owner.page.getByText('This site is suspended').waitFor();
  await owner.page.getByText('Phishing', { exact: true }).waitFor();
  await expectAccessible(owner.page);
  await report.getByRole('button', { name: 'Resume site Bank of Rivers' }).click();
  await report.getByRole('button', { name: 'Suspend site Bank of Rivers' }).waitFor();
  await arrive(owner.page, `/${owner.organizationId}/sites/${id}`);
  expect(await owner.page.getByText('This site is suspended').count()).toBe(0);
});

import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { arrive, startJourney, tabTo } from '#tests/support/browser/journey.ts';
import { addMember, invite, makeOrganization } from '#tests/support/browser/organizations.ts';
import { waitUntilAlive } from '#tests/support/browser/wait-until-alive.ts';
import { newAccount } from '#tests/support/client/sign-in.ts';

const journey = startJourney();

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const permissionOf = (page: Page, name: string) =>
  page.getByRole('combobox', { name: `Permission of ${name}` });
const confirm = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click();

describe('a person who creates an organization', () => {
  it('gets a proposed handle, sees problems next to the fields, and arrives in the console', async () => {
    const { page } = await journey().visitSignedIn();
    await arrive(page, '/identity/organizations/new');
    const name = page.getByLabel('Name', { exact: false }).first();
    const handle = page.getByLabel('Short name');
    await page.getByRole('button', { name: 'Create organization' }).click();
    await page.getByText('Enter a name').waitFor();
    await page.getByText('Enter a short name').waitFor();

    await name.fill('Rivières & Cie');
    expect(await handle.inputValue()).toBe('rivieres-cie');
    await page.getByText('/identity/organizations/rivieres-cie').waitFor();
    await handle.fill('new');
    await name.fill('Rivières du Nord');
    expect(await handle.inputValue()).toBe('new');
    await page.getByLabel('Website').fill('rivieres.example');
    await page.getByRole('button', { name: 'Create organization' }).click();
    await page.getByText('The short name new is reserved. Choose another.').waitFor();
    await expect.poll(() => handle.evaluate((field) => field === document.activeElement)).toBe(true);

    await handle.fill('Rivieres-Nord');
    await page.getByRole('button', { name: 'Create organization' }).click();
    await page.waitForURL(/\/[0-9a-z]{26}$/);
    await heading(page, 'Rivières du Nord').waitFor();
    await page.getByRole('button', { name: 'Switch organization: Rivières du Nord' }).click();
    await page.getByText('Owner', { exact: true }).waitFor();

    await arrive(page, '/identity/organizations/new');
    await name.fill('Another');
    await handle.fill('rivieres-nord');
    await page.getByRole('button', { name: 'Create organization' }).click();
    await page.getByText('The short name rivieres-nord is taken.').waitFor();

    await arrive(page, '/identity/organizations/rivieres-nord');
    await page.getByRole('link', { name: 'rivieres.example' }).waitFor();
  });

  it('signs in first, and is then brought back', async () => {
    const { page } = await journey().visit();
    await page.goto('/identity/organizations/new');
    await page.waitForURL('**/login?return_to=%2Fidentity%2Forganizations%2Fnew');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Create an account' }).click();
    await register(page, 'Create account');
    await heading(page, 'Create an organization').waitFor();
  });
});

describe('the page of an organization', () => {
  it('is public, hidden from search engines, and changed by its administrators', async () => {
    const owner = await journey().visitSignedIn();
    const organization = await makeOrganization(owner, { name: 'Lakes', handle: 'lakes' });
    const { page } = owner;
    await arrive(page, organization.path);
    const save = page.getByRole('button', { name: 'Save profile' });
    expect(await save.isDisabled()).toBe(true);
    await page.getByLabel('Description').fill('Maps of lakes');
    await page.getByLabel('Website').fill('not an address');
    await save.click();
    await page.getByText('Enter a web address, such as https://example.ca').waitFor();
    await page.getByLabel('Website').fill('lakes.example');
    await page.getByLabel('Short name').fill('great-lakes');
    await page.getByText('Links with the old short name stop working.').waitFor();
    await save.click();
    await page.getByText('Profile saved').waitFor();
    await page.waitForURL('**/identity/organizations/great-lakes');
    await page.getByRole('main').getByText('Maps of lakes').first().waitFor();
    expect(await page.getByLabel('Website').inputValue()).toBe('https://lakes.example');
    expect(await save.isDisabled()).toBe(true);

    const stranger = await journey().visit();
    await arrive(stranger.page, '/identity/organizations/great-lakes?tab=members');
    await heading(stranger.page, 'Lakes').waitFor();
    await stranger.page.getByText('Maps of lakes').waitFor();
    expect(await stranger.page.title()).toBe('Lakes · Portage');
    expect(await stranger.page.getByRole('navigation').count()).toBe(0);
    expect(await stranger.page.locator('meta[name=robots]').getAttribute('content')).toBe('noindex');

    const gone = await stranger.page.goto(organization.path);
    expect(gone?.status()).toBe(404);
    await stranger.page.getByRole('heading', { name: 'Organization not found' }).waitFor();
  });
});

describe('an invitation', () => {
  it('is created by keyboard, accepted by a new person in French, managed, and cannot be used twice', async () => {
    const owner = await journey().visitSignedIn({ full_name: 'Ada Lovelace' });
    const organization = await makeOrganization(owner, { name: 'Rapids', handle: 'rapids' });
    const { page } = owner;
    await arrive(page, `${organization.path}?tab=invitations`);
    await tabTo(page, page.getByLabel('Permission'));
    await page.keyboard.press('r');
    await tabTo(page, page.getByRole('button', { name: 'Create invitation link' }));
    await page.keyboard.press('Enter');
    await page.getByText('The invitation is ready').waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Copy invitation link' }).first());
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Copied').first().waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).toMatch(/\/identity\/invitations\/[\w-]{20,}$/);
    const row = page.getByRole('list', { name: 'Open invitations' }).getByRole('listitem');
    await row.getByText('Read').waitFor();

    const guest = await journey().visit({ locale: 'fr-CA' });
    await arrive(guest.page, link);
    await heading(guest.page, 'Se joindre à l’organisation Rapids').waitFor();
    await guest.page.getByText('Ada Lovelace vous invite, avec l’autorisation Lecture.').waitFor();
    await guest.page.getByRole('link', { name: 'Créer un compte' }).click();
    await register(guest.page, 'Créer le compte', 'Zoé Tremblay');
    await guest.page.waitForURL(link);
    await waitUntilAlive(guest.page);
    await guest.page.getByText('Zoé Tremblay').first().waitFor();
    await guest.page.getByRole('button', { name: 'Se joindre à l’organisation Rapids' }).click();
    await guest.page.waitForURL(`**/${organization.id}`);
    await heading(guest.page, 'Rapids').waitFor();
    await guest.page.goto(`/${organization.id}/sites`);
    await heading(guest.page, 'Sites').waitFor();

    await arrive(page, `${organization.path}?tab=members`);
    await permissionOf(page, 'Zoé Tremblay').selectOption({ label: 'Admin' });
    await page.getByText('Zoé Tremblay now has the Admin permission').waitFor();
    await arrive(guest.page, `${organization.path}?tab=invitations`);
    await guest.page.getByRole('button', { name: 'Créer un lien d’invitation' }).waitFor();
    // An administrator cannot create owners.
    expect(await guest.page.getByLabel('Autorisation').locator('option').allTextContents()).toEqual([
      'Administration',
      'Écriture',
      'Lecture',
    ]);

    await page.getByRole('button', { name: 'Remove Zoé Tremblay' }).click();
    await page.getByRole('dialog', { name: 'Remove Zoé Tremblay?' }).waitFor();
    await confirm(page, 'Remove member');
    await page.getByText('Zoé Tremblay was removed').waitFor();
    await permissionOf(page, 'Zoé Tremblay').waitFor({ state: 'detached' });
    await guest.page.getByRole('button', { name: 'Créer un lien d’invitation' }).click();
    await guest.page
      .getByRole('navigation', { name: 'Organisation', exact: true })
      .waitFor({ state: 'detached' });
    await guest.page.goto(`/${organization.id}/sites`);
    await guest.page.getByRole('heading', { name: 'Organisation inconnue' }).waitFor();

    await guest.page.goto(link);
    await heading(guest.page, 'Cette invitation n’est plus valide').waitFor();
  });

  it('says for whom it is, and lets another person sign out and come back', async () => {
    const owner = await journey().visitSignedIn();
    const organization = await makeOrganization(owner, { name: 'Falls', handle: 'falls' });
    const path = await invite(owner, organization, { permission: 'write', email: 'zoe@example.ca' });
    const { page } = await journey().visitSignedIn({ full_name: 'Grace Hopper' });
    await arrive(page, path);
    await page.getByText(/The invitation is addressed to zoe@example.ca/).waitFor();
    await page.getByText('What Write allows').click();
    await page.getByText('Create sites').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in to join' }).click();
    await heading(page, 'Sign in to Portage').waitFor();
    await expect.poll(() => page.getByLabel('Email').inputValue()).toBe('zoe@example.ca');

    await arrive(owner.page, path);
    await heading(owner.page, 'You already belong to Falls').waitFor();
    await owner.page.getByRole('link', { name: 'Open Falls' }).click();
    await owner.page.waitForURL(`**/${organization.id}`);
  });

  it('that is revoked while it is open says so instead of joining', async () => {
    const owner = await journey().visitSignedIn();
    const organization = await makeOrganization(owner, { name: 'Bays', handle: 'bays' });
    const path = await invite(owner, organization, { permission: 'write' });
    const guest = await journey().visitSignedIn();
    await arrive(guest.page, path);
    await arrive(owner.page, `${organization.path}?tab=invitations`);
    await owner.page.getByRole('button', { name: 'Revoke' }).click();
    await confirm(owner.page, 'Revoke');
    await owner.page.getByText(/There are no open invitations/).waitFor();
    await guest.page.getByRole('button', { name: 'Join Bays' }).click();
    await heading(guest.page, 'This invitation is not open').waitFor();
  });
});

describe('a member', () => {
  it('can leave, but not as the last owner', async () => {
    const owner = await journey().visitSignedIn({ full_name: 'Ada Lovelace' });
    const second = await journey().visitSignedIn({ full_name: 'Grace Hopper' });
    const organization = await makeOrganization(owner, { name: 'Locks', handle: 'locks' });
    await addMember(owner, organization, second, 'write');
    const { page } = owner;
    await arrive(page, `${organization.path}?tab=members`);
    const leave = page.getByRole('button', { name: 'Leave' });
    await page
      .getByText('An organization needs at least one owner. Make another member an owner first.')
      .waitFor();
    await expect.poll(() => leave.getAttribute('aria-disabled')).toBe('true');
    expect(await permissionOf(page, 'Ada Lovelace').count()).toBe(0);
    await permissionOf(page, 'Grace Hopper').selectOption({ label: 'Owner' });
    await permissionOf(page, 'Ada Lovelace').waitFor();
    await expect.poll(() => leave.getAttribute('aria-disabled')).toBe(null);
    await leave.click();
    await page.getByRole('dialog', { name: 'Leave Locks?' }).waitFor();
    await confirm(page, 'Leave organization');
    await page.waitForURL(`**/${owner.organizationId}`);
    await page.getByText('You have left Locks').waitFor();
    await page.getByRole('button', { name: 'Switch organization' }).click();
    expect(await page.getByText('Locks', { exact: true }).count()).toBe(0);
  });

  it('who gives up their own permission is asked first', async () => {
    const owner = await journey().visitSignedIn({ full_name: 'Ada Lovelace' });
    const second = await journey().visitSignedIn({ full_name: 'Grace Hopper' });
    const organization = await makeOrganization(owner, { name: 'Weirs', handle: 'weirs' });
    await addMember(owner, organization, second, 'owner');
    const { page } = owner;
    await arrive(page, `${organization.path}?tab=members`);
    await permissionOf(page, 'Ada Lovelace').selectOption({ label: 'Read' });
    await confirm(page, 'Cancel');
    expect(await permissionOf(page, 'Ada Lovelace').inputValue()).toBe('owner');
    await permissionOf(page, 'Ada Lovelace').selectOption({ label: 'Read' });
    await confirm(page, 'Change my permission');
    await page.getByText('To change or remove members, you need the Admin permission.').waitFor();
    expect(await page.getByRole('combobox').count()).toBe(0);
    await page.getByRole('link', { name: 'Invitations' }).click();
    await page.getByText('You can ask: Grace Hopper.').waitFor();
  });
});

describe('an owner who deletes the organization', () => {
  it('empties it first, types its handle, and it is gone', async () => {
    const owner = await journey().visitSignedIn();
    const organization = await makeOrganization(owner, { name: 'Sluices', handle: 'sluices' });
    const headers = { 'portage-organization': organization.id };
    const create = async (path: string, json: object) =>
      JSON.parse((await owner.api('POST', path, { json, headers })).text);
    const { credential } = await create('/api/v1/credentials', { name: 'CI', scopes: [] });
    const bucket = await create('/api/v1/storage/buckets', { name: 'sluice-plans', region: 'qc-south-1' });
    const { page } = owner;
    await arrive(page, organization.path);
    await page.getByRole('link', { name: 'its credentials' }).waitFor();
    await owner.api('DELETE', `/api/v1/credentials/${credential.id}`, { headers });
    await arrive(page, organization.path);
    await page.getByRole('link', { name: 'its buckets' }).waitFor();
    expect(await page.getByRole('button', { name: 'Delete organization' }).count()).toBe(0);
    await owner.api('DELETE', `/api/v1/storage/buckets/${bucket.id}`, { headers });
    await arrive(page, organization.path);
    await page.getByRole('button', { name: 'Delete organization' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete Sluices?' });
    const remove = dialog.getByRole('button', { name: 'Delete organization' });
    expect(await remove.isDisabled()).toBe(true);
    await dialog.getByLabel('Type sluices to confirm').fill('sluices');
    await remove.click();
    await page.waitForURL(`**/${owner.organizationId}`);
    await page.getByText('Sluices was deleted').waitFor();
    expect((await page.goto(organization.path))?.status()).toBe(404);
  });
});

/** Fills in the registration form on the screen. */
async function register(page: Page, submit: string, fullName = 'Ada Lovelace'): Promise<void> {
  const account = newAccount({ full_name: fullName });
  await waitUntilAlive(page);
  for (const name of ['full_name', 'email', 'login', 'password'] as const) {
    await page.locator(`input[name=${name}]`).fill(account[name]);
  }
  await page.getByRole('button', { name: submit }).click();
}

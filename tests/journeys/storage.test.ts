import { HeadBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { alterResponse } from '#tests/support/browser/alter-response.ts';
import {
  arrive,
  expectAccessible,
  expectFitsPhone,
  hasFocus,
  startJourney,
} from '#tests/support/browser/journey.ts';
import { objectOf } from '#tests/support/client/rest-client.ts';
import { insertNamedOrganization } from '#tests/support/server/server-database.ts';
import { makeBuckets } from '#tests/support/storage/s3-client.ts';

const journey = startJourney();

/** Signs in a person on the buckets page; `name` is unused by any other organization. */
async function visitStorage(locale: 'en-CA' | 'fr-CA' = 'en-CA') {
  const visitor = await journey().visitSignedIn({ locale });
  await arrive(visitor.page, `/${visitor.organizationId}/storage`);
  return { ...visitor, name: `photos-${visitor.organizationId.slice(-8)}` };
}

const rowOf = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) });

describe('object storage', () => {
  it('creates a bucket with CORS, changes who may use it, and deletes it', async () => {
    const { page, api, name } = await visitStorage();
    await page.getByRole('heading', { name: 'No buckets yet' }).waitFor();
    await page.getByRole('button', { name: 'Create bucket' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create bucket' });
    await dialog.getByText(/^3 to 63 characters: lowercase letters, digits, dots and hyphens/).waitFor();
    const isNameFocused = () => dialog.getByLabel('Name').evaluate((field) => field.matches(':focus'));
    await expect.poll(isNameFocused).toBe(true);
    await dialog.getByLabel('Name').fill('Photos!');
    await dialog.getByRole('button', { name: 'Create bucket' }).click();
    await dialog.getByText(/^Use only a-z, 0-9, dots and hyphens/).waitFor();
    await dialog.getByLabel('Name').fill(name);
    expect(await dialog.getByRole('textbox', { name: 'Allowed origin' }).count()).toBe(0);
    await dialog.getByLabel('Enable CORS').check();
    const origin = dialog.getByRole('textbox', { name: 'Allowed origin' });
    await origin.fill('example.ca');
    await dialog.getByRole('button', { name: 'Create bucket' }).click();
    await expect.poll(() => hasFocus(origin), { message: 'the refused origin can be corrected' }).toBe(true);
    for (const typed of ['  https://example.ca ', 'https://example.ca', '   ', 'https://other.example']) {
      await origin.fill(typed);
      await origin.press('Enter');
    }
    // Enter that only ends the composition of a character.
    await origin.fill('https://例え.example');
    await origin.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    expect(await origin.inputValue()).toBe('https://例え.example');
    await origin.fill('');
    const origins = dialog.getByRole('list', { name: 'Allowed origins' }).getByRole('listitem');
    expect(await origins.allInnerTexts()).toEqual(['https://example.ca', 'https://other.example']);
    await dialog.getByRole('button', { name: 'Remove https://other.example' }).click();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Create bucket' }).click();
    await dialog.waitFor({ state: 'hidden' });

    const row = rowOf(page, name);
    await row.getByText('Active', { exact: true }).waitFor();
    expect(await page.getByRole('columnheader').allTextContents()).toEqual([
      'Name',
      'ID',
      'Region',
      'Status',
      'Created',
      'Actions',
    ]);
    const [bucket] = JSON.parse((await api('GET', '/api/v1/storage/buckets')).text);
    expect(bucket).toMatchObject({ name, cors_enabled: true, cors_origins: ['https://example.ca'] });
    await row.getByText(bucket.id).waitFor();
    await row.getByText('qc-south-1').waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);

    await row.getByRole('button', { name: `Edit ${name}` }).click();
    const editor = page.getByRole('dialog', { name: `Edit ${name}` });
    await expect.poll(() => hasFocus(editor.getByRole('switch', { name: 'Enable CORS' }))).toBe(true);
    await editor.getByRole('button', { name: 'Test CORS' }).click();
    const tester = editor.getByRole('group', { name: 'Test CORS' });
    const tested = tester.getByLabel('Origin of the website');
    await expect.poll(() => hasFocus(tested)).toBe(true);
    await tested.fill('example.ca');
    await tested.press('Enter');
    await tester.getByText('Enter an origin such as https://example.ca, without a path.').waitFor();
    await tested.fill('https://example.ca');
    await tester.getByLabel('Method').selectOption('PUT');
    await tester.getByRole('button', { name: 'Test' }).click();
    await tester.getByText('The browser allows it').waitFor();
    await tester.getByText('access-control-allow-origin: https://example.ca').waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    await tested.fill('https://other.example/page');
    await tester.getByText('The browser allows it').waitFor({ state: 'hidden' });
    await tester.getByRole('button', { name: 'Test' }).click();
    await expect.poll(() => hasFocus(tested)).toBe(true);
    await tested.fill('https://other.example');
    await tested.press('Enter');
    await tester.getByText('No rule allows this origin.').waitFor();
    const added = editor.getByRole('textbox', { name: 'Allowed origin' });
    await added.fill('example.ca');
    await editor.getByRole('button', { name: 'Save changes' }).click();
    await expect.poll(() => hasFocus(added), { message: 'the refused origin can be corrected' }).toBe(true);
    await editor.getByLabel('Enable CORS').uncheck();
    await editor.getByLabel('Make objects public').check();
    await editor.getByText(/^Everyone who knows or guesses an object’s name can read it/).waitFor();
    await expectAccessible(page);
    await editor.getByRole('button', { name: 'Save changes' }).click();
    await editor.waitFor({ state: 'hidden' });
    const changed = objectOf(await api('GET', `/api/v1/storage/buckets/${bucket.id}`));
    expect(changed).toMatchObject({ cors_enabled: false, cors_origins: [], public_read: true });
    await row.getByText('Public', { exact: true }).waitFor();

    await row.getByRole('button', { name: `Delete ${name}` }).click();
    const question = page.getByRole('dialog', { name: `Delete ${name}?` });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'hidden' });
    await row.getByRole('button', { name: `Delete ${name}` }).click();
    await question.getByRole('button', { name: 'Delete bucket' }).click();
    await page.getByText(`The bucket ${name} is being deleted`).waitFor();
  });

  it('empties a bucket once its name is typed, shows the progress, and stops on demand', async () => {
    const { page, api, name } = await visitStorage();
    const maker = makeBuckets(journey().server, api);
    const { id } = await maker.createBucket(name);
    const client = maker.client(await maker.createKeys([id]));
    for (const Key of ['a', 'b']) await client.send(new PutObjectCommand({ Bucket: name, Key, Body: Key }));
    client.destroy();
    await page.reload();
    const row = rowOf(page, name);
    await row.getByText('2 objects').waitFor();
    const askToEmpty = async () => {
      await row.getByRole('button', { name: `Empty ${name}`, exact: true }).click();
      const question = page.getByRole('dialog', { name: `Empty ${name}?` });
      await question.getByText(/This deletes 2 objects \(/).waitFor();
      const confirm = question.getByRole('button', { name: 'Empty bucket' });
      expect(await confirm.isDisabled()).toBe(true);
      await question.getByLabel(/^Type/).fill(name);
      return confirm;
    };
    // Its state in progress; a real one of this size finishes before anyone sees it.
    const emptying = {
      requested_at: '2026-03-01T12:00:00.000Z',
      object_total: 5_000,
      removed_objects: 1_000,
    };
    const change = await alterResponse<{ items: object[] }>(page, 'storage.pageBuckets', (buckets) => ({
      ...buckets,
      items: buckets.items.map((bucket) => ({ ...bucket, object_count: 2, stored_bytes: 2, emptying })),
    }));
    await (await askToEmpty()).click();
    await page.getByText(`The bucket ${name} is being emptied`).waitFor();
    await row.getByText('Emptying: 1,000 of 5,000').waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    await row.getByRole('button', { name: `Stop emptying ${name}` }).click();
    change((buckets) => buckets);
    await row.getByText(/^Emptying/).waitFor({ state: 'detached' });
    await api('POST', `/api/v1/storage/buckets/${id}/empty`);
    const look = async () => objectOf(await api('GET', `/api/v1/storage/buckets/${id}`));
    await expect
      .poll(look)
      .toMatchObject({ status: 'active', object_count: 0, stored_bytes: 0, emptying: null });
  });

  it('says what failed when a name is taken', async () => {
    const first = await visitStorage();
    await first.api('POST', '/api/v1/storage/buckets', { json: { name: first.name } });
    const { page } = await visitStorage();
    await page.getByRole('button', { name: 'Create bucket' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create bucket' });
    await dialog.getByLabel('Name').fill(first.name);
    await dialog.getByRole('button', { name: 'Create bucket' }).click();
    const alert = dialog.getByRole('alert');
    await alert.getByText('Failed to create bucket. Please check the form and try again.').waitFor();
    await alert.getByText(`The name ${first.name} is taken. Choose another one.`).waitFor();
  });

  it('gives a credential access to a bucket, which an S3 client then uses', async () => {
    const { page, api, name, organizationId } = await visitStorage();
    await api('POST', '/api/v1/storage/buckets', { json: { name } });
    await arrive(page, `/${organizationId}/credentials?create=true`);
    const dialog = page.getByRole('dialog', { name: 'Create credential' });
    await dialog.getByText('No resource is selected: the credential will have no access.').waitFor();
    await dialog.getByRole('checkbox', { name: `${name} qc-south-1 (Montréal)` }).check();
    expect(await dialog.getByText(/will have no access/).count()).toBe(0);
    // What says that the name is missing has not moved the bucket from under the click.
    await dialog.getByText('Please enter a name for the credential').waitFor();
    await dialog.getByLabel('Name').fill('Backups');
    await dialog.getByRole('button', { name: 'Create credential' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const banner = page.getByRole('status').filter({ hasText: 'The credential Backups is ready' });
    const accessKeyId = await banner.getByRole('region', { name: 'Copy public key' }).innerText();
    const secretAccessKey = await banner.getByRole('region', { name: 'Copy secret key' }).innerText();
    const lines = banner.getByRole('region', { name: 'Copy the lines for aws-cli' });
    expect(await lines.innerText()).toContain(`AWS_SECRET_ACCESS_KEY=${secretAccessKey}`);
    expect(await lines.innerText()).toContain('AWS_ENDPOINT_URL_S3=http://localhost:');
    const chips = page.getByRole('article', { name: 'Backups' }).getByRole('list', { name: 'Scopes' });
    expect(await chips.innerText()).toMatch(new RegExp(`bucket\\s*${name}`));
    const client = new S3Client({
      endpoint: `http://127.0.0.1:${journey().server.s3Port}`,
      region: 'qc-south-1',
      forcePathStyle: true,
      credentials: { accessKeyId, secretAccessKey },
    });
    const response = await client.send(new HeadBucketCommand({ Bucket: name }));
    expect(response.$metadata.httpStatusCode).toBe(200);
    client.destroy();
  });

  it('speaks French', async () => {
    const { page, name } = await visitStorage('fr-CA');
    await page.getByRole('heading', { level: 1, name: 'Stockage d’objets' }).waitFor();
    await page.getByRole('button', { name: 'Créer un compartiment' }).click();
    const dialog = page.getByRole('dialog', { name: 'Créer un compartiment' });
    await dialog.getByLabel('Nom').fill(name);
    await dialog.getByRole('button', { name: 'Créer un compartiment' }).click();
    await rowOf(page, name).getByText('Actif', { exact: true }).waitFor();
    await page.getByRole('button', { name: `Connecter un client au compartiment ${name}` }).click();
    await page.getByRole('region', { name: 'Copier les lignes pour aws-cli' }).waitFor();
  });

  it('is titled with what is missing where a bucket is not there', async () => {
    const { page, organizationId } = await visitStorage();
    await arrive(page, `/${organizationId}/storage/01jzzzzzzzzzzzzzzzzzzzzzzz`);
    await page.getByRole('heading', { level: 1, name: 'Bucket not found' }).waitFor();
    expect(await page.title()).toBe('Bucket not found · Portage');
  });

  it('is coming soon to an organization without the feature', async () => {
    const { page, person } = await visitStorage();
    const organizationId = await insertNamedOrganization(journey().server, {
      name: 'Rivers',
      members: { [person.account.email]: 'owner' },
    });
    await arrive(page, `/${organizationId}/storage`);
    await page.getByRole('heading', { name: 'Object storage is coming soon' }).waitFor();
    const navigation = page.getByRole('navigation', { name: 'Main navigation' });
    expect(await navigation.textContent()).toContain('Object storagesoon');
    expect(await navigation.getByRole('link', { name: 'Object storage' }).count()).toBe(0);
  });
});

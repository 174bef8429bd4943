import { expect, it } from 'vitest';
import type { OrganizationContext } from '#server/context.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { createSite } from '../sites/create-site.ts';
import { createCredential } from './create-credential.ts';
import { deleteCredential } from './delete-credential.ts';
import { pageCredentials } from './page-credentials.ts';

/** Returns the names on each page of two. */
async function readAll(context: OrganizationContext, search?: string) {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const { items, next_cursor } = await pageCredentials(context, { limit: 2, search, cursor });
    pages.push(items.map(({ name }) => name));
    cursor = next_cursor ?? undefined;
  } while (cursor !== undefined);
  return pages;
}

async function withCredentials() {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  const stranger = await createTestPerson(app);
  await createCredential(stranger.context, { name: 'Other' });
  const site = await createSite(context, { name: 'Café' });
  const scope = { resource_type: 'site' as const, resource_id: site.id, permissions: ['read' as const] };
  const ids: string[] = [];
  for (const name of ['one', 'two', 'three', 'four', 'five']) {
    const scopes = ['one', 'two', 'five'].includes(name) ? [scope] : [];
    ids.push((await createCredential(context, { name, scopes })).credential.id);
    // Two at the same time are told apart.
    if (name !== 'three') app.clock.advance(1000);
  }
  return { context, ids };
}

it('credentials come in pages, the newest first, within the organization', async () => {
  const { context } = await withCredentials();
  const pages = await readAll(context);
  expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
  expect(pages.flat().filter((name) => name !== 'three' && name !== 'four')).toEqual(['five', 'two', 'one']);
  expect(new Set(pages.flat()).size).toBe(5);
});

it('credentials are found by what they are called and what they reach, with all their scopes', async () => {
  const { context } = await withCredentials();
  expect(await readAll(context, 'CAFE')).toEqual([['five', 'two'], ['one']]);
  expect(await readAll(context, 'nowhere')).toEqual([[]]);
  const { items } = await pageCredentials(context, { search: 'cafe two' });
  expect(items).toMatchObject([{ name: 'two', scopes: [{ resource_name: 'Café' }] }]);
  expect(JSON.stringify(items)).not.toContain('secret');
});

it('a page of credentials begins after one that was deleted meanwhile', async () => {
  const { context, ids } = await withCredentials();
  const first = await pageCredentials(context, { limit: 1 });
  await deleteCredential(context, { credential_id: ids.at(-1) ?? '' });
  const { items } = await pageCredentials(context, { limit: 5, cursor: first.next_cursor ?? '' });
  expect(items).toHaveLength(4);
});

it('a page of credentials is not for programs, and its cursor is one of the list', async () => {
  const { context } = await withCredentials();
  await expect(pageCredentials(credentialContext(context, []), {})).rejects.toMatchObject({
    code: 'person_required',
  });
  await expect(pageCredentials(context, { cursor: 'x' })).rejects.toMatchObject({ code: 'invalid_input' });
});

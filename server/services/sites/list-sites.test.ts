import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import { deployTestFiles } from '#tests/support/app/deploy.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { createSite } from './create-site.ts';
import { deleteSite } from './delete-site.ts';
import { listSites } from './list-sites.ts';
import type { listSitesInput } from './schema.ts';

async function names(
  context: OrganizationContext,
  input: z.input<typeof listSitesInput> = {},
): Promise<string[]> {
  return (await listSites(context, input)).items.map((site) => site.name);
}

describe('listSites', () => {
  it('returns every site once over its pages, by name ignoring case and accents', async () => {
    const { context } = await createTestPerson(await createTestApp());
    const created = ['delta', 'Alpha', 'charlie', 'Brávo', 'echo', 'ECHO.', 'echo!'];
    for (const [index, name] of created.entries()) {
      // Equal names with different addresses fall back to the id.
      await createSite(context, {
        name: name.startsWith('echo') || name.startsWith('ECHO') ? `${name}${index}` : name,
      });
    }
    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await listSites(context, { limit: 2, cursor: cursor ?? undefined });
      expect(page.items.length).toBeLessThanOrEqual(2);
      seen.push(...page.items.map((site) => site.name));
      cursor = page.next_cursor;
    } while (cursor);
    expect(seen.slice(0, 4)).toEqual(['Alpha', 'Brávo', 'charlie', 'delta']);
    expect(new Set(seen).size).toBe(created.length);
    expect(seen).toEqual(await names(context));
  });

  it('continues after a site that was deleted between two pages', async () => {
    const { context } = await createTestPerson(await createTestApp());
    for (const name of ['a', 'b', 'c']) await createSite(context, { name });
    const first = await listSites(context, { limit: 2 });
    await deleteSite(context, { site_id: first.next_cursor ?? '' });
    const rest = await listSites(context, { limit: 2, cursor: first.next_cursor ?? '' });
    expect(rest).toMatchObject({ items: [{ name: 'c' }], next_cursor: null });
  });

  it('finds by a part of the name or the address, in any case, taking the text literally', async () => {
    const { context } = await createTestPerson(await createTestApp());
    for (const name of ['Shop 100%', 'shop_north', 'Blog', 'ÉTÉ blog']) await createSite(context, { name });
    expect(await names(context, { search: 'SHOP' })).toEqual(['Shop 100%', 'shop_north']);
    expect(await names(context, { search: '0%' })).toEqual(['Shop 100%']);
    expect(await names(context, { search: 'p_n' })).toEqual(['shop_north']);
    expect(await names(context, { search: 'shop100' })).toEqual(['Shop 100%']);
    expect(await names(context, { search: 'ete' })).toEqual(['ÉTÉ blog']);
    expect(await names(context, { search: 'été' })).toEqual(['ÉTÉ blog']);
    expect(await names(context, { search: 'nothing' })).toEqual([]);
  });

  it('includes the number of endpoints and when the current version was published', async () => {
    const app = await createTestApp();
    const { context } = await createTestPerson(app);
    const site = await createSite(context, { name: 'blog' });
    const now = app.clock.now();
    const organization_id = context.organization.id;
    await app.db
      .insertInto('cdn_endpoints')
      .values({
        id: newId(),
        organization_id,
        hostname: 'www.example.ca',
        cname_target: 'a.edge.localhost',
        origin_type: 'site',
        site_id: site.id,
        redirect_target: null,
        created_at: now,
        updated_at: now,
      })
      .execute();
    await app.db
      .insertInto('site_versions')
      .values({
        id: 'version-1',
        organization_id,
        site_id: site.id,
        number: 1,
        message: null,
        source: 'cli',
        created_by: 'mathilde',
        created_at: now,
        touched_at: now,
        sealed_at: now,
        reverted_at: null,
        published_at: now + 1000,
        replaced_at: null,
        file_count: 1,
        total_bytes: 1,
        report: null,
      })
      .execute();
    await app.db
      .updateTable('sites')
      .set({ current_version_id: 'version-1' })
      .where('id', '=', site.id)
      .execute();
    expect((await listSites(context, {})).items).toMatchObject([
      { endpoint_count: 1, deployed_at: '2026-03-01T12:00:01.000Z', current_version_id: 'version-1' },
    ]);
  });

  it('shows a credential only what it may read, and no one another organization', async () => {
    const app = await createTestApp();
    const { context } = await createTestPerson(app);
    const other = await createTestPerson(app);
    const site = await createSite(context, { name: 'a' });
    await createSite(context, { name: 'b' });
    const foreign = await createSite(other.context, { name: 'c' });
    expect(await names(credentialContext(context, [site.id, foreign.id]))).toEqual(['a']);
    expect(await names(credentialContext(context, [site.id], ['write']))).toEqual([]);
    expect(await names(credentialContext(context, []))).toEqual([]);
    expect(await names(other.context)).toEqual(['c']);
    await expect(listSites(other.context, { cursor: site.id })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });

  it('returns the latest deployed first when sorted by deploy, and none that was never deployed', async () => {
    const app = await createTestApp();
    const { context } = await createTestPerson(app);
    const sites = [];
    for (const name of ['first', 'second', 'never']) sites.push(await createSite(context, { name }));
    for (const site of sites.slice(0, 2)) {
      app.clock.advance(1000);
      await deployTestFiles(context, site.id, { 'index.html': site.name });
    }
    expect(await names(context, { sort: 'deployed' })).toEqual(['second', 'first']);
    expect(await names(context, { sort: 'deployed', limit: 1 })).toEqual(['second']);
  });
});

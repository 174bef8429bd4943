import type { Trx } from '#db/client.ts';

/** Asks for a new picture of a site, whose live version has just changed; made by take-pictures.ts. */
export async function wantPicture(
  trx: Trx,
  site: { id: string; organization_id: string },
  now: number,
): Promise<void> {
  await trx
    .insertInto('site_pictures')
    .values({ site_id: site.id, organization_id: site.organization_id, wanted_at: now })
    .onConflict((conflict) => conflict.column('site_id').doUpdateSet({ wanted_at: now }))
    .execute();
}

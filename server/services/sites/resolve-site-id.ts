import type { OrganizationContext } from '#server/context.ts';

/** An id: 26 letters and digits of a lower-case ULID. */
const ID_FORM = /^[0-9a-hjkmnp-tv-z]{26}$/;

/**
 * Returns the id of the site by its id or its address (`blog`). Anything unknown is returned as it is, so
 * that the verb refuses it like an unknown id, and which addresses exist is not revealed.
 */
export async function resolveSiteId(
  { app, organization }: OrganizationContext,
  named: string,
): Promise<string> {
  if (ID_FORM.test(named)) return named;
  const site = await app.db
    .selectFrom('sites')
    .select('id')
    .where('subdomain', '=', named)
    .where('organization_id', '=', organization.id)
    .executeTakeFirst();
  return site?.id ?? named;
}

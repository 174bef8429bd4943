import type { OrganizationContext } from '#server/context.ts';

/** A version's number; an id is longer. */
const NUMBER_FORM = /^[1-9]\d{0,8}$/;

/**
 * Returns the id of the version of a site by its id or its number. Anything unknown is returned as it is, so
 * that the verb refuses it like an unknown id.
 */
export async function resolveVersionId(
  { app, organization }: OrganizationContext,
  siteId: string,
  named: string,
): Promise<string> {
  if (!NUMBER_FORM.test(named)) return named;
  const version = await app.db
    .selectFrom('site_versions')
    .select('id')
    .where('site_id', '=', siteId)
    .where('organization_id', '=', organization.id)
    .where('number', '=', Number(named))
    .executeTakeFirst();
  return version?.id ?? named;
}

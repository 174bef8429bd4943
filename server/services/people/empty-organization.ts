import type { RequestContext } from '#server/context.ts';
import { deleteEndpoint } from '../cdn/delete-endpoint.ts';
import { deleteCredential } from '../credentials/delete-credential.ts';
import { resolveOrganization } from '../organizations/resolve-organization.ts';
import { deleteSite } from '../sites/delete-site.ts';
import { deleteBucket } from '../storage/buckets/delete-bucket.ts';

/**
 * Deletes the content of an organization, item by item and each as its owner would: endpoints, sites,
 * credentials and buckets. Calling it again after an interruption continues with what is left.
 */
export async function emptyOrganization(
  context: RequestContext,
  organizationId: string,
  by: string,
): Promise<void> {
  const { app } = context;
  const actor = { kind: 'job', name: by } as const;
  const entered = await resolveOrganization({ ...context, actor }, organizationId);
  // What was stored while the organization had the feature is deleted too.
  const inside = { ...entered, organization: { ...entered.organization, features: ['object_storage'] } };
  const idsOf = async (table: 'cdn_endpoints' | 'credentials') => {
    const rows = await app.db
      .selectFrom(table)
      .select('id')
      .where('organization_id', '=', organizationId)
      .execute();
    return rows.map(({ id }) => id);
  };
  for (const endpoint_id of await idsOf('cdn_endpoints')) await deleteEndpoint(inside, { endpoint_id });
  const sites = await app.db
    .selectFrom('sites')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .execute();
  for (const { id } of sites) await deleteSite(inside, { site_id: id });
  for (const credential_id of await idsOf('credentials')) await deleteCredential(inside, { credential_id });
  const buckets = await app.db
    .selectFrom('buckets')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('status', '!=', 'deleting')
    .execute();
  for (const { id } of buckets) await deleteBucket(inside, { bucket_id: id });
}

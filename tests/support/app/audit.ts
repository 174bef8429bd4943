import type { OrganizationContext } from '#server/context.ts';

/** Returns the organization's audit rows about one resource, in order. */
export async function auditRows(context: OrganizationContext, resourceId: string) {
  const rows = await context.app.db
    .selectFrom('audit_events')
    .select(['action', 'actor_kind', 'actor_name', 'before', 'after'])
    .where('organization_id', '=', context.organization.id)
    .where('resource_id', '=', resourceId)
    .orderBy('at')
    .orderBy('id')
    .execute();
  return rows.map(({ before, after, ...row }) => ({
    ...row,
    before: before === null ? null : JSON.parse(before),
    after: after === null ? null : JSON.parse(after),
  }));
}

import type { z } from 'zod';
import type { Executor } from '#db/client.ts';
import { type App, type RequestContext, requireOperator } from '#server/context.ts';
import { listLimitUses, readOwnLimits } from '../limits/limit-queries.ts';
import { toInstant } from '../shared/schema.ts';
import { type OrganizationRow, requireOrganizationRow, toOrganizationForOperator } from './queries.ts';
import { type OrganizationDetail, organizationReferenceInput } from './schema.ts';

const OWNERS_SHOWN = 20;

/**
 * Returns an organization with its contents and contacts.
 * @throws operator_required, organization_not_found
 */
export async function getOrganizationForOperator(
  context: RequestContext,
  input: z.input<typeof organizationReferenceInput>,
): Promise<OrganizationDetail> {
  requireOperator(context, 'read');
  const { organization_id } = organizationReferenceInput.parse(input);
  const { db } = context.app;
  return describeOrganization(db, context.app, await requireOrganizationRow(db, organization_id));
}

/** Returns the detail of a row, read by the same executor. */
export async function describeOrganization(
  executor: Executor,
  app: App,
  row: OrganizationRow,
): Promise<OrganizationDetail> {
  const counts = await executor
    .selectNoFrom(({ selectFrom }) => [
      selectFrom('memberships')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('organization_id', '=', row.id)
        .as('members'),
      selectFrom('sites')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('organization_id', '=', row.id)
        .where('deleted_at', 'is', null)
        .as('sites'),
      selectFrom('cdn_endpoints')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('organization_id', '=', row.id)
        .as('endpoints'),
      selectFrom('credentials')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('organization_id', '=', row.id)
        .as('credentials'),
      selectFrom('site_versions')
        .select(({ fn }) => fn.max('published_at').as('at'))
        .where('organization_id', '=', row.id)
        .as('last_deployed_at'),
    ])
    .executeTakeFirstOrThrow();
  const owners = await executor
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.login', 'users.full_name', 'users.email'])
    .where('memberships.organization_id', '=', row.id)
    .where('memberships.permission', '=', 'owner')
    .orderBy('memberships.created_at')
    .orderBy('users.id')
    .limit(OWNERS_SHOWN)
    .execute();
  const own = readOwnLimits(row.limits);
  const limits = (await listLimitUses(executor, app, row.id)).map((use) => ({
    ...use,
    default_limit: app.config.organizationLimits[use.name],
    is_default: own[use.name] === undefined,
  }));
  return {
    ...toOrganizationForOperator(row),
    members: counts.members ?? 0,
    owners,
    sites: counts.sites ?? 0,
    endpoints: counts.endpoints ?? 0,
    credentials: counts.credentials ?? 0,
    stored_bytes: limits.find(({ name }) => name === 'stored_bytes')?.used ?? 0,
    last_deployed_at: toInstant(counts.last_deployed_at),
    limits,
  };
}

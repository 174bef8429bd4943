import type { z } from 'zod';
import type { Executor } from '#db/client.ts';
import { isUniqueViolation } from '#db/unique-violation.ts';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { newId, newToken } from '#server/ids.ts';
import { requireBilling } from '../billing/require-billing.ts';
import { requireWithinLimits } from '../limits/require-within-limits.ts';
import { requireLiveOrganization } from '../organizations/require-live-organization.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { beginLifetime } from '../usage/keep-lifetime.ts';
import { isHostOfService, platformHost } from './platform-host.ts';
import { toSite } from './queries.ts';
import {
  DEFAULT_RETENTION,
  foldSiteName,
  isReservedSiteName,
  sanitizeSiteName,
  suggestSiteName,
} from './rules.ts';
import { createSiteInput, type Site } from './schema.ts';

const SUGGESTIONS_TRIED = 20;

/** What a site has none of before its first version. */
const UNUSED = {
  deployed_at: null,
  endpoint_count: 0,
  picture_kind: null,
  picture_made_at: null,
  suspended_at: null,
  suspension_reason: null,
};

/**
 * Creates a site without a version and returns it. The name is kept as typed, the address is derived from it
 * and unique across organizations, even for concurrent requests. A credential cannot create one, because none
 * of its scopes could name the site.
 * @throws permission_required, person_required, billing_required, limit_sites, site_name_empty;
 * site_name_reserved and site_name_taken with a free `suggestion`
 */
export async function createSite(
  context: OrganizationContext,
  input: z.input<typeof createSiteInput>,
): Promise<Site> {
  requireAction(context, 'site.create');
  if (context.actor.kind === 'credential') throw new AppError('person_required');
  const { name } = createSiteInput.parse(input);
  const subdomain = sanitizeSiteName(name);
  if (subdomain === '') throw new AppError('site_name_empty');
  const { app, organization } = context;
  const isOfService = isHostOfService(app.config, platformHost(app.config, subdomain));
  if (isOfService || isReservedSiteName(subdomain)) {
    const suggestion = await findFreeName(app.db, isOfService ? `${subdomain}-site` : subdomain);
    throw new AppError('site_name_reserved', { name: subdomain, suggestion });
  }
  try {
    return await inUnitOfWork(context, async ({ trx, now, audit, tellEdges }) => {
      await requireLiveOrganization(trx, organization.id);
      await requireBilling(trx, app, organization.id);
      const row = {
        id: newId(now),
        organization_id: organization.id,
        name,
        name_key: foldSiteName(name),
        subdomain,
        current_version_id: null,
        spa_fallback: 0,
        ...DEFAULT_RETENTION,
        removed_versions: 0,
        created_at: now,
        updated_at: now,
        deleted_at: null,
      };
      await trx.insertInto('sites').values(row).execute();
      await requireWithinLimits(trx, app, organization.id, ['sites']);
      await beginLifetime(trx, {
        resource_id: row.id,
        resource_type: 'site',
        organization_id: organization.id,
        name,
        started_at: now,
      });
      await audit({
        action: 'site.create',
        resource_type: 'site',
        resource_id: row.id,
        organization_id: organization.id,
        after: { name, subdomain },
      });
      // An edge may have cached that the hostname does not exist.
      tellEdges({ site_id: row.id, hostname: platformHost(app.config, subdomain) });
      return toSite(app.config, { ...row, ...UNUSED });
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new AppError('site_name_taken', {
      name: subdomain,
      suggestion: await findFreeName(app.db, subdomain),
    });
  }
}

/** Returns a currently free name close to the wanted one. */
async function findFreeName(executor: Executor, wanted: string): Promise<string> {
  const candidates = Array.from({ length: SUGGESTIONS_TRIED }, (_, index) =>
    suggestSiteName(wanted, index + 1),
  );
  const taken = await executor
    .selectFrom('sites')
    .select('subdomain')
    .where('subdomain', 'in', candidates)
    .execute();
  const takenNames = new Set(taken.map((site) => site.subdomain));
  const free = candidates.find((candidate) => !takenNames.has(candidate));
  return free ?? sanitizeSiteName(`${wanted.slice(0, 50)}-${newToken(9)}`).replace(/-{2,}/g, '-');
}

import type { z } from 'zod';
import { type OrganizationContext, requireAction, requireSiteScope } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { findSite, toSite } from './queries.ts';
import { type Site, siteInput } from './schema.ts';

/** Returns a site of the organization. @throws site_not_found, out_of_scope */
export async function getSite(context: OrganizationContext, input: z.input<typeof siteInput>): Promise<Site> {
  requireAction(context, 'site.read');
  const { site_id } = siteInput.parse(input);
  requireSiteScope(context, site_id, 'read');
  const row = await findSite(context.app.db, context.organization.id, site_id);
  if (!row) throw new AppError('site_not_found');
  return toSite(context.app.config, row);
}

import type { z } from 'zod';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { requireSite } from '../sites/require-site.ts';
import { toReport } from './deploy-report.ts';
import { getVersionRow, toVersion } from './queries.ts';
import { type versionDetailSchema, versionInput } from './schema.ts';

/**
 * Returns a version with its deploy report (null before the seal).
 * @throws out_of_scope, site_not_found, version_not_found
 */
export async function getVersion(
  context: OrganizationContext,
  input: z.input<typeof versionInput>,
): Promise<z.infer<typeof versionDetailSchema>> {
  requireAction(context, 'site.read');
  const { site_id, version_id } = versionInput.parse(input);
  const { config, db } = context.app;
  const site = await requireSite(db, context, site_id, 'read');
  const row = await getVersionRow(db, site, version_id);
  return { ...toVersion(config, site, row), report: toReport(config, site, row) };
}

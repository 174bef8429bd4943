import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { requireCredentialRight } from '../credentials/require-credential-right.ts';
import { requireSite } from '../sites/require-site.ts';
import { findPublishers, toPublisher } from './queries.ts';
import { publishersInput, type publishersSchema } from './schema.ts';

/**
 * Returns the repositories that may deploy to a site without a stored secret.
 * @throws person_required, permission_required, site_not_found
 */
export async function listPublishers(
  context: OrganizationContext,
  input: z.input<typeof publishersInput>,
): Promise<z.infer<typeof publishersSchema>> {
  requireCredentialRight(context, 'credential.read');
  const { app } = context;
  const { site_id } = publishersInput.parse(input);
  const site = await requireSite(app.db, context, site_id, 'read');
  const rows = await findPublishers(app.db, site.id);
  return { publishers: rows.map(toPublisher), issuers: [...app.config.ciIssuers] };
}

import { actorName, type OrganizationContext } from '#server/context.ts';
import { platformHost } from '../sites/platform-host.ts';
import type { WebhookData } from '../webhooks/event-schemas.ts';
import type { SiteRow, VersionRow } from './queries.ts';

/**
 * Returns the payload of a webhook about a version that is now live.
 * @throws for a job: none of them publishes
 */
export function describePublished(
  { app, actor }: OrganizationContext,
  site: Pick<SiteRow, 'id' | 'name' | 'subdomain'>,
  version: Pick<VersionRow, 'id' | 'number'>,
): WebhookData['deploy.published'] {
  const { kind } = actor;
  if (kind === 'job' || kind === 'anonymous') throw new Error(`a version was published by: ${kind}`);
  return {
    site_id: site.id,
    site_name: site.name,
    version_id: version.id,
    version_number: version.number,
    url: app.config.siteUrl(platformHost(app.config, site.subdomain)),
    actor: { kind, name: actorName(actor) },
  };
}

import { actorName, type OrganizationContext } from '#server/context.ts';
import { platformHost } from '../sites/platform-host.ts';
import type { WebhookData } from '../webhooks/queue-webhooks.ts';
import type { SiteRow, VersionRow } from './queries.ts';

/** Returns the payload of a webhook about a version that is now live. */
export function describePublished(
  { app, actor }: OrganizationContext,
  site: Pick<SiteRow, 'id' | 'name' | 'subdomain'>,
  version: Pick<VersionRow, 'id' | 'number'>,
): WebhookData['deploy.published'] {
  return {
    site_id: site.id,
    site_name: site.name,
    version_id: version.id,
    version_number: version.number,
    url: app.config.siteUrl(platformHost(app.config, site.subdomain)),
    actor: { kind: actor.kind, name: actorName(actor) },
  };
}

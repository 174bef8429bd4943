import { useLingui } from '@lingui/react/macro';
import type { SiteForOperator, VersionForOperator } from '#server/services/abuse/schema.ts';

/** What can be suspended: a site, or one version of it. */
export interface Suspendable {
  site: SiteForOperator;
  version: VersionForOperator | null;
}

/** The parameters that identify it in calls. */
export function idsOf({ site, version }: Suspendable): { site_id: string; version_id?: string } {
  return { site_id: site.id, ...(version && { version_id: version.id }) };
}

/** Returns a function that names a site or version within a sentence. */
export function useSuspendableName(): (what: Suspendable) => string {
  const { t } = useLingui();
  return ({ site, version }) => (version ? t`version ${version.number} of ${site.name}` : site.name);
}

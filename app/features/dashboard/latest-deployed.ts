import type { Site } from '#server/services/sites/schema.ts';

const SHOWN = 5;

/** The first page of sites by name, as large as it gets: the latest are picked from it. */
export function recentSitesInput(organizationId: string) {
  return { organization_id: organizationId, limit: 200 };
}

/** A site whose current version is live. */
export type DeployedSite = Site & { deployed_at: string };

/** Returns the sites deployed last, the latest first. */
export function latestDeployed(sites: readonly Site[]): DeployedSite[] {
  return sites
    .filter((site): site is DeployedSite => site.deployed_at !== null)
    .sort((a, b) => b.deployed_at.localeCompare(a.deployed_at))
    .slice(0, SHOWN);
}

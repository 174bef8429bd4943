const SHOWN = 5;

/** What the dashboard asks for: the latest deploys of all sites. */
export function recentDeploysInput(organizationId: string) {
  return { organization_id: organizationId, limit: SHOWN };
}

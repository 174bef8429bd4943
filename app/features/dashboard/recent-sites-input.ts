const SHOWN = 5;

/** What the dashboard asks for: the sites that went live last. */
export function recentSitesInput(organizationId: string) {
  return { organization_id: organizationId, sort: 'deployed' as const, limit: SHOWN };
}

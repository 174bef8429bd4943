const SHOWN = 5;

/** The query of the dashboard: the most recently deployed sites. */
export function recentSitesInput(organizationId: string) {
  return { organization_id: organizationId, sort: 'deployed' as const, limit: SHOWN };
}

import type { TenantIds } from './fill-organization.ts';
import { type Example, open, operates, type ProcedureInput, type RouteRequest } from './surface-example.ts';

const REPORT = { address: 'https://nobody.example.ca/', kind: 'other', description: 'Something is wrong.' };

/** What anyone can report, and what operators do about it. */
export const ABUSE_PROCEDURES: Record<string, Example<ProcedureInput>> = {
  'abuse.report': { ...open('whoever is harmed by a site has no account'), request: () => REPORT },
  'operator.abuseReports': { ...operates('read', false), request: () => ({ search: 'nothing at all' }) },
  'operator.dismissAbuseReport': {
    ...operates('manage'),
    request: ({ abuseReport }: TenantIds) => ({ report_id: abuseReport }),
  },
  'operator.suspendSite': {
    ...operates('manage'),
    request: ({ otherSite }) => ({ site_id: otherSite, reason: 'phishing' }),
  },
  'operator.resumeSite': {
    ...operates('manage'),
    request: ({ suspendedSite }) => ({ site_id: suspendedSite }),
  },
};

export const ABUSE_ROUTES: Record<string, Example<RouteRequest>> = {
  reportAbuse: {
    ...open('whoever is harmed by a site has no account'),
    request: () => ({ json: REPORT }),
  },
};

import { type Example, lists, type ProcedureInput, type RouteRequest } from './surface-example.ts';

/** The usage procedures: every member reads, a credential sees its sites. */
export const USAGE_PROCEDURES: Record<string, Example<ProcedureInput>> = {
  'usage.stats': { ...lists, request: () => ({ period: 'week' }) },
  'usage.overview': { ...lists, request: () => ({}) },
  'usage.storage': { ...lists, request: () => ({ period: 'week' }) },
  'usage.paths': { ...lists, request: () => ({ limit: 5 }) },
};

/** Every member reads the organization's log; it names people, so no credential does. */
export const AUDIT_PROCEDURES: Record<string, Example<ProcedureInput>> = {
  'audit.list': { ...lists, credential: 'never', request: () => ({ subject: 'site' }) },
};
export const AUDIT_ROUTES: Record<string, Example<RouteRequest>> = {
  listAuditEvents: { ...lists, credential: 'never', request: () => ({ query: { subject: 'site' } }) },
  exportAuditEvents: { ...lists, credential: 'never', request: () => ({}) },
};

/** The same routes. */
export const USAGE_ROUTES: Record<string, Example<RouteRequest>> = {
  getUsageStats: { ...lists, request: () => ({ query: { period: 'week' } }) },
  exportUsage: { ...lists, request: () => ({}) },
  getUsageOverview: { ...lists, request: () => ({}) },
  getStorageUsage: { ...lists, request: () => ({ query: { period: 'week' } }) },
  exportStorageUsage: { ...lists, request: () => ({}) },
  getTopPaths: { ...lists, request: () => ({ query: { limit: '5' } }) },
};

import { Readable } from 'node:stream';
import { exportAuditEvents } from '../../services/audit/export-audit-events.ts';
import { listAuditEvents } from '../../services/audit/list-audit-events.ts';
import { auditEventSchema, auditFilterInput, listAuditEventsInput } from '../../services/audit/schema.ts';
import { organizationRoute, type Route } from '../route.ts';

const tag = 'Audit';
const errors = ['person_required'] as const;
const filters =
  'By whom (`actor_kind`, `actor_id`), about what (`subject`), on one resource (`resource_id`), on which days ' +
  '(`start_date`, `end_date`, UTC, both included). The log is kept for a year; addresses become their networks after 30 days ' +
  'and are shown, like email addresses, only to administrators and owners.';

export const auditRoutes: Route[] = [
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/audit/events',
      id: 'listAuditEvents',
      tag,
      summary: 'List the audit log of the organization, newest first',
      description: filters,
      query: listAuditEventsInput,
      success: { kind: 'page', schema: auditEventSchema },
      errors,
    },
    ({ context, query }) => listAuditEvents(context, query),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/audit/events.csv',
      id: 'exportAuditEvents',
      tag,
      summary: 'Get the audit log of the organization as CSV',
      description: filters,
      query: auditFilterInput,
      success: { kind: 'download', mediaType: 'text/csv; charset=utf-8', isUntagged: true },
      errors,
    },
    async ({ context, query }) => {
      const { filename, text } = await exportAuditEvents(context, query);
      return { filename, stream: Readable.from(text, { objectMode: false }) };
    },
  ),
];

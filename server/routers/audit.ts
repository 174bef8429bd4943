import { listAuditEvents } from '../services/audit/list-audit-events.ts';
import { auditPageSchema, listAuditEventsInput } from '../services/audit/schema.ts';
import { organizationProcedure, router } from './trpc.ts';

export const auditRouter = router({
  list: organizationProcedure
    .input(listAuditEventsInput)
    .output(auditPageSchema)
    .query(({ ctx, input }) => listAuditEvents(ctx, input)),
});

import { z } from 'zod';
import { idSchema, instantSchema, pageInputSchema, pageOf } from '../shared/schema.ts';
import { ACTOR_KINDS, AUDIT_SUBJECTS } from './rules.ts';

const fieldsSchema = z.record(z.string(), z.unknown());

/** One action on something of the organization. */
export const auditEventSchema = z.object({
  id: idSchema,
  at: instantSchema,
  actor: z.object({
    kind: z.enum(['person', 'credential', 'operator', 'job', 'anonymous']),
    /** The id of the person, credential or operator token; null for a job. */
    id: z.string().nullable(),
    /** The current name, or the name at the time. */
    name: z.string(),
  }),
  /** `subject.verb` */
  action: z.string(),
  resource: z.object({
    type: z.string(),
    id: z.string(),
    name: z.string().nullable(),
    /** Whether it still exists. */
    exists: z.boolean(),
  }),
  before: fieldsSchema.nullable(),
  after: fieldsSchema.nullable(),
  /** The full address for 30 days, then its network; null for readers who may not see it. */
  address: z.string().nullable(),
  request_id: z.string().nullable(),
});
export type AuditEvent = z.infer<typeof auditEventSchema>;

export const auditPageSchema = pageOf(auditEventSchema);

/** Filters events: by whom, about what, on one resource, on which days (UTC, both included). */
export const auditFilterInput = z.object({
  actor_kind: z.enum(ACTOR_KINDS).optional(),
  actor_id: idSchema.optional(),
  subject: z.enum(AUDIT_SUBJECTS).optional(),
  resource_id: idSchema.optional(),
  start_date: z.iso.date().optional(),
  end_date: z.iso.date().optional(),
});

export const listAuditEventsInput = auditFilterInput.extend(pageInputSchema.shape);

import { z } from 'zod';
import { idSchema, instantSchema, pageInputSchema, pageOf } from '../shared/schema.ts';
import { ACTOR_KINDS, AUDIT_SUBJECTS } from './rules.ts';

const fieldsSchema = z.record(z.string(), z.unknown());

/** One thing that somebody did to something of the organization. */
export const auditEventSchema = z.object({
  id: idSchema,
  at: instantSchema,
  actor: z.object({
    kind: z.enum(['person', 'credential', 'operator', 'job', 'anonymous']),
    /** Of the person, credential or operator token; null for what runs by itself. */
    id: z.string().nullable(),
    /** As it is called now, or was when it did this. */
    name: z.string(),
  }),
  /** `subject.verb` */
  action: z.string(),
  resource: z.object({
    type: z.string(),
    id: z.string(),
    name: z.string().nullable(),
    /** Whether it can still be looked at. */
    exists: z.boolean(),
  }),
  before: fieldsSchema.nullable(),
  after: fieldsSchema.nullable(),
  /** A whole one for 30 days, then its network; null to those who may not see it. */
  address: z.string().nullable(),
  request_id: z.string().nullable(),
});
export type AuditEvent = z.infer<typeof auditEventSchema>;

export const auditPageSchema = pageOf(auditEventSchema);

/** Which events: by whom, about what, on one resource, on which days (UTC, both included). */
export const auditFilterInput = z.object({
  actor_kind: z.enum(ACTOR_KINDS).optional(),
  actor_id: idSchema.optional(),
  subject: z.enum(AUDIT_SUBJECTS).optional(),
  resource_id: idSchema.optional(),
  start_date: z.iso.date().optional(),
  end_date: z.iso.date().optional(),
});

export const listAuditEventsInput = auditFilterInput.extend(pageInputSchema.shape);

import { z } from 'zod';
import { idSchema, instantSchema, pageInputSchema, pageOf } from '../shared/schema.ts';
import { ACTOR_KINDS, AUDIT_SUBJECTS } from './rules.ts';

const fieldsSchema = z.record(z.string(), z.unknown());

/** One action on something of the organization. */
export const auditEventSchema = z.object({
  id: idSchema.describe('Identifies the entry. Later entries have greater ids.'),
  at: instantSchema.describe('When it was recorded.'),
  actor: z
    .object({
      kind: z
        .enum(['person', 'credential', 'operator', 'job', 'anonymous'])
        .describe(
          '`person`: someone signed in. `credential`: a program with keys. `operator`: the provider. `job`: the ' +
            'installation by itself. `anonymous`: nobody signed in.',
        ),
      id: z
        .string()
        .nullable()
        .describe('Of the person, credential or operator token; null for a job and for nobody signed in.'),
      name: z.string().describe('The current name, or the one at the time if the actor no longer exists.'),
    })
    .describe('Who did it.'),
  action: z.string().describe('Subject and verb, such as `site.create` or `version.publish`.'),
  resource: z
    .object({
      type: z
        .string()
        .describe('The kind of resource, such as `site`, `version`, `endpoint`, `bucket` or `member`.'),
      id: z.string().describe('The id that the resource has, or had, in its own calls.'),
      name: z
        .string()
        .nullable()
        .describe(
          'A site’s name, a hostname, or what else people call it; null if it has none or it is no longer known.',
        ),
      exists: z.boolean().describe('False once it has been deleted.'),
    })
    .describe('What was acted on.'),
  before: fieldsSchema
    .nullable()
    .describe('The changed fields with their earlier values; null for a creation.'),
  after: fieldsSchema.nullable().describe('The changed fields with their new values; null for a deletion.'),
  address: z
    .string()
    .nullable()
    .describe(
      'The IP address of the caller for 30 days, then only its network; null for readers who are neither ' +
        'administrator nor owner, and for jobs.',
    ),
  request_id: z.string().nullable().describe('`X-Request-Id` of the request that did it; null for jobs.'),
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

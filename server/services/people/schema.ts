import { z } from 'zod';
import { OPERATOR_ACCESS } from '../operator/rules.ts';
import { permissionSchema } from '../organizations/schema.ts';
import {
  idSchema,
  instantSchema,
  lineSchema,
  pageInputSchema,
  pageOf,
  proseSchema,
} from '../shared/schema.ts';

/**
 * A person as operators see them: someone who has signed in here, or a local account that has not yet
 * (`account-7`).
 */
const personForOperatorSchema = z.object({
  id: z.string(),
  login: z.string(),
  full_name: z.string(),
  email: z.string(),
  /** Whether the account is managed by this installation and not by an external issuer. */
  is_kept_here: z.boolean(),
  blocked_at: instantSchema.nullable(),
  blocked_reason: z.string().nullable(),
  /** What the person may do as an operator in the console. */
  operator_access: z.enum(OPERATOR_ACCESS).nullable(),
  created_at: instantSchema,
});
export type PersonForOperator = z.infer<typeof personForOperatorSchema>;

export const listPeopleInput = pageInputSchema.extend({
  /** Part of the name, the login or the email address. */
  search: lineSchema.max(100).optional(),
  state: z.enum(['active', 'blocked']).optional(),
});
export const personForOperatorPageSchema = pageOf(personForOperatorSchema);

/** How an operator refers to a person: by the id, the login or the email address. */
const personReferenceSchema = lineSchema.min(1).max(254);
export const personInput = z.object({ person: personReferenceSchema });

export const personDetailSchema = personForOperatorSchema.extend({
  sessions: z.number().int(),
  last_used_at: instantSchema.nullable(),
  organizations: z.array(
    z.object({
      id: idSchema,
      name: z.string(),
      permission: permissionSchema,
      is_personal: z.boolean(),
      /** It has no other owner, and is managed here: deleting the person requires a decision about it. */
      is_only_owner: z.boolean(),
    }),
  ),
});
export type PersonDetail = z.infer<typeof personDetailSchema>;

export const blockPersonInput = personInput.extend({
  /** For operators; the person is told only that the account is blocked. */
  reason: proseSchema.min(1, 'Enter a reason').max(500),
});

export const deletePersonInput = personInput.extend({
  /** The new owner of organizations without another owner. */
  give_to: personReferenceSchema.optional(),
  /**
   * Whether to delete everything in the personal workspace, and without `give_to`, the other organizations
   * too.
   */
  delete_content: z.boolean().default(false),
});
export const deletePersonResult = z.object({
  id: z.string(),
  login: z.string(),
  given_organizations: z.array(z.string()),
  deleted_organizations: z.array(z.string()),
});
export type DeletePersonResult = z.infer<typeof deletePersonResult>;

export const setOperatorAccessInput = personInput.extend({ access: z.enum([...OPERATOR_ACCESS, 'none']) });
export const operatorAccessSchema = z.object({ access: z.enum(OPERATOR_ACCESS).nullable() });

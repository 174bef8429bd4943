import { z } from 'zod';
import { permissionSchema } from '../organizations/schema.ts';

/**
 * A person as other programs see them: `number` identifies the account permanently, `subject` is the same as
 * text.
 */
export const directoryPersonSchema = z.object({
  subject: z.string(),
  number: z.number().int(),
  login: z.string(),
  full_name: z.string(),
  email: z.string(),
  avatar_url: z.string().nullable(),
  language: z.string().nullable(),
  created_at: z.number().int(),
});
export type DirectoryPerson = z.infer<typeof directoryPersonSchema>;

/** An organization as other programs see it: `number` identifies it permanently, `handle` may change. */
export const directoryOrganizationSchema = z.object({
  number: z.number().int(),
  handle: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  website: z.string().nullable(),
  location: z.string().nullable(),
  avatar_url: z.string().nullable(),
});
export type DirectoryOrganization = z.infer<typeof directoryOrganizationSchema>;

/** Which page of a list: pages count from 1; `total` is the length of the whole list. */
export const directoryPageInput = z.object({
  page: z.number().int().min(1),
  limit: z.number().int().min(1).max(50),
});
export const directoryPageSchema = z.object({
  items: z.array(directoryOrganizationSchema),
  total: z.number().int(),
});
export type DirectoryPage = z.infer<typeof directoryPageSchema>;

/** A person's permission in an organization; null for a person who is not a member. */
export const directoryPermissionSchema = permissionSchema.nullable();

import { z } from 'zod';
import { permissionSchema } from '../organizations/schema.ts';

/** A person as other programs learn of them: `number` is the account's name for ever, `subject` the same as text. */
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

/** An organization as other programs learn of it: `number` is its name for ever, `handle` may change. */
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

/** Which part of a list: pages count from 1; `total` says how long the whole list is. */
export const directoryPageInput = z.object({
  page: z.number().int().min(1),
  limit: z.number().int().min(1).max(50),
});
export const directoryPageSchema = z.object({
  items: z.array(directoryOrganizationSchema),
  total: z.number().int(),
});
export type DirectoryPage = z.infer<typeof directoryPageSchema>;

/** What somebody may do in an organization; null for somebody who is no member. */
export const directoryPermissionSchema = permissionSchema.nullable();

import { z } from 'zod';
import { idSchema } from '../shared/schema.ts';
import { PERMISSIONS } from './rules.ts';

export const permissionSchema = z.enum(PERMISSIONS);

export const organizationSchema = z.object({
  id: idSchema,
  external_id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  website: z.string().nullable(),
  location: z.string().nullable(),
  avatar_url: z.string().nullable(),
  features: z.array(z.string()),
});
export type Organization = z.infer<typeof organizationSchema>;

export const membershipSchema = z.object({ organization: organizationSchema, permission: permissionSchema });
export type Membership = z.infer<typeof membershipSchema>;

export const organizationContextSchema = z.object({
  organization_id: idSchema,
  organization: organizationSchema,
});

export const setContextInput = z.object({ organization_id: idSchema });

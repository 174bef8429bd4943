import { z } from 'zod';
import { idSchema, instantSchema } from '../shared/schema.ts';

export const LANGUAGES = ['en-CA', 'fr-CA'] as const;
export const languageSchema = z.enum(LANGUAGES);
export type Language = z.infer<typeof languageSchema>;

/** The signed-in person (spec/console.md, section 3). */
export const userSchema = z.object({
  id: idSchema,
  login: z.string(),
  full_name: z.string(),
  email: z.string(),
  avatar_url: z.string().nullable(),
  language_preference: languageSchema.nullable(),
});
export type User = z.infer<typeof userSchema>;

export const updateUserSettingsInput = z.object({ language_preference: languageSchema });

/** A browser session as its owner sees it. */
export const sessionSchema = z.object({
  id: z.string(),
  address: z.string(),
  user_agent: z.string(),
  created_at: instantSchema,
  last_used_at: instantSchema,
  is_current: z.boolean(),
});

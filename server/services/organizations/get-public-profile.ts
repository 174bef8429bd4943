import type { z } from 'zod';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { PublicProfile, publicProfileInput } from './schema.ts';

export async function getPublicProfile(
  _context: RequestContext,
  _input: z.input<typeof publicProfileInput>,
): Promise<PublicProfile> {
  throw new AppError('internal');
}

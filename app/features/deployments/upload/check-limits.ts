import { z } from 'zod';
import type { ErrorCode } from '#server/error-codes.ts';
import { apiErrorOf } from '../../../i18n/errors/api-error-of.ts';
import type { ApiError } from '../../../i18n/errors/read-error.ts';
import type { PickedFile } from './picked-files.ts';

const limitsSchema = z.object({
  files: z.number(),
  file_bytes: z.number(),
  version_bytes: z.number(),
});

/** The limits of the server for one version. */
export type DeployLimits = z.infer<typeof limitsSchema>;

/**
 * Returns the limits of this installation, or null when they cannot be read now: the server checks them all
 * the same.
 */
export async function fetchDeployLimits(signal: AbortSignal): Promise<DeployLimits | null> {
  try {
    const response = await fetch('/api/v1/deploy-limits', { signal });
    return limitsSchema.parse(await response.json());
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

/**
 * Requires that the server would accept these files, before hours are spent reading them.
 * @throws ApiError with the server's own code for the first limit that they exceed
 */
export function checkLimits(picked: readonly PickedFile[], limits: DeployLimits | null): void {
  if (limits === null) return;
  if (picked.length > limits.files) throw refusal('limit_files', { limit: limits.files });
  let total = 0;
  for (const { path, file } of picked) {
    if (file.size > limits.file_bytes) throw refusal('limit_file_bytes', { path, limit: limits.file_bytes });
    total += file.size;
  }
  if (total > limits.version_bytes) throw refusal('limit_version_bytes', { limit: limits.version_bytes });
}

function refusal(code: ErrorCode, params: Record<string, string | number>): ApiError {
  return apiErrorOf({ code, message: '', params, fields: [], request_id: null });
}
